// The files of this folder: each adds the rows of one operation and of its gradients.
#pragma once

#include <array>

#include "case.hpp"

namespace conformance {

void activation_rows(Suite& suite);
void adam_step_rows(Suite& suite);
void add_rows(Suite& suite);
void affine_rows(Suite& suite);
void arg_max_rows(Suite& suite);
void conv2d_rows(Suite& suite);
void copy_rows(Suite& suite);
void cross_entropy_rows(Suite& suite);
void dropout_rows(Suite& suite);
void dropout2d_rows(Suite& suite);
void fill_rows(Suite& suite);
void log_softmax_rows(Suite& suite);
void matmul_rows(Suite& suite);
void max_pool2d_rows(Suite& suite);
void mean_rows(Suite& suite);
void mse_rows(Suite& suite);
void mul_rows(Suite& suite);
void normal_rows(Suite& suite);
void normalize_rows(Suite& suite);
void relu_rows(Suite& suite);
void sgd_step_rows(Suite& suite);
void softmax_rows(Suite& suite);
void sum_rows(Suite& suite);
void unary_rows(Suite& suite);
void uniform_rows(Suite& suite);

// Beside them: what is no operation.
void machinery_rows(Suite& suite);

using RowsOf = void (*)(Suite&);
inline constexpr std::array<RowsOf, 26> operation_rows{
    activation_rows, adam_step_rows,   add_rows,           affine_rows,     arg_max_rows,
    conv2d_rows,     copy_rows,        cross_entropy_rows, dropout_rows,    dropout2d_rows,
    fill_rows,       log_softmax_rows, matmul_rows,        max_pool2d_rows, mean_rows,
    mse_rows,        mul_rows,         normal_rows,        normalize_rows,  relu_rows,
    sgd_step_rows,   softmax_rows,     sum_rows,           unary_rows,      uniform_rows,
    machinery_rows};

}  // namespace conformance
