// How matrices at the border become cuBLAS's.
#include "product.hpp"

#include <limits>

namespace backplane::cuda {
namespace {

constexpr i64 most = std::numeric_limits<int>::max();

// The leading dimension of a row-major matrix; nothing if it isn't one.
std::optional<i64> leading_of_rows(const Matrix& m) {
  if (m.columns > 1 && m.column_stride != 1) return std::nullopt;
  const i64 least = std::max<i64>(m.columns, 1);
  const i64 leading = m.rows > 1 ? m.row_stride : least;
  if (leading < least || leading > most) return std::nullopt;
  return leading;
}

}  // namespace

bool is_blas_matrix(const Matrix& matrix) {
  return leading_of_rows(matrix) || leading_of_rows(transposed(matrix));
}

Product::Operand Product::operand(const Matrix& matrix) {
  if (const auto leading = leading_of_rows(matrix)) {
    return {static_cast<int>(*leading), CUBLAS_OP_N, matrix.batch_stride};
  }
  const i64 leading = leading_of_rows(transposed(matrix)).value();
  return {static_cast<int>(leading), CUBLAS_OP_T, matrix.batch_stride};
}

Product::Product(const Check& check, const Matrix& y, const Matrix& a, const Matrix& b, bool strict,
                 BlasScratch scratch)
    : target_(y),
      swapped_(!leading_of_rows(y)),
      // Without a mode that asks for it by name, cuBLAS uses no TF32 for these.
      compute_(strict ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F),
      scratch_(scratch) {
  if (y.rows > most || y.columns > most || a.columns > most) {
    throw check.unsupported("a matrix has more than 2^31 - 1 rows or columns");
  }
  y_ = operand(swapped_ ? transposed(y) : y);
  a_ = operand(swapped_ ? transposed(b) : a);
  b_ = operand(swapped_ ? transposed(a) : b);
  rows_ = static_cast<int>(swapped_ ? y.columns : y.rows);
  columns_ = static_cast<int>(swapped_ ? y.rows : y.columns);
  inner_ = static_cast<int>(a.columns);
}

void Product::clear(const Call& call, const Memory& y, i64 batch) const {
  const bp_tensor_desc batched =
      view(dense(BP_F32, {}), {{batch, target_.batch_stride},
                               {target_.rows, target_.row_stride},
                               {target_.columns, target_.column_stride}});
  const Nest walk = nest({&batched});
  launch(call.queue, fill, items(walk.count), walk, y, F32, 0.0);
}

void Product::enqueue(const Call& call, const Memory& y, const Memory& a, const Memory& b,
                      i64 batch, bool adds) const {
  if (rows_ == 0 || columns_ == 0 || batch == 0) return;
  if (inner_ == 0) {
    if (!adds) clear(call, y, batch);
    return;
  }
  const float one = 1.0f, kept = adds ? 1.0f : 0.0f;
  const cublasHandle_t handle = call.queue.blas();
  const Memory scratch = call.workspace(scratch_.offset);
  check(cublasSetWorkspace(handle, scratch.pointer(), scratch_.bytes),
        "giving cuBLAS its workspace");
  check(cublasGemmStridedBatchedEx(handle, b_.operation, a_.operation, columns_, rows_, inner_,
                                   &one, (swapped_ ? a : b).pointer(), CUDA_R_32F, b_.leading,
                                   b_.batch_stride, (swapped_ ? b : a).pointer(), CUDA_R_32F,
                                   a_.leading, a_.batch_stride, &kept, y.pointer(), CUDA_R_32F,
                                   y_.leading, y_.batch_stride, static_cast<int>(batch), compute_,
                                   CUBLAS_GEMM_DEFAULT),
        "a matrix product");
}

}  // namespace backplane::cuda
