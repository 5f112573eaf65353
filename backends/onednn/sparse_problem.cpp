// Checks the operands of a pooled convolution's gradients.
#include "sparse_problem.hpp"

#include <algorithm>
#include <limits>

#include "backplane/plugin/parts.hpp"
#include "convolution.hpp"
#include "layout.hpp"

namespace backplane::onednn {
namespace {

void check_pooled(const Check& check, const op::Conv2dReluMaxPoolParams& params,
                  const PooledOperands& operands) {
  check.dtype(operands.dy, "dy", {BP_F32});
  check.dtype(operands.winners, "winners", {BP_U8});
  check.rank(operands.dy, "dy", 4);
  const std::int64_t* dims = operands.dy.dims;
  check.dims(operands.dy, "dy",
             {operands.input.dims[0], operands.weight.dims[0], dims[2], dims[3]});
  check.same_dims(operands.winners, "winners", operands.dy);
  for (int axis = 0; axis < 2; ++axis) {
    check.that(params.pool_kernel[axis] > 0 && params.pool_stride[axis] > 0,
               "the pool's kernel and stride are 1 up");
    check.that(params.pool_padding[axis] >= 0 && params.pool_padding[axis + 2] >= 0,
               "padding is never negative");
  }
  check.that(std::int64_t{params.pool_kernel[0]} * params.pool_kernel[1] <= 254,
             "a pool window has at most 254 elements");
}

cpu::SparseConv conv_of(const op::Conv2dReluMaxPoolParams& params, const PooledOperands& operands,
                        const bp_tensor_desc& result) {
  const bp_tensor_desc &input = operands.input, &dy = operands.dy;
  cpu::SparseConv conv{};
  conv.channels = input.dims[1] / params.conv.groups;
  conv.height = input.dims[2];
  conv.width = input.dims[3];
  conv.filters = dy.dims[1] / params.conv.groups;
  for (int axis = 0; axis < 2; ++axis) {
    conv.kernel[axis] = operands.weight.dims[2 + axis];
    conv.stride[axis] = params.conv.stride[axis];
    conv.padding[axis] = params.conv.padding[axis];
    conv.dilation[axis] = params.conv.dilation[axis];
    conv.pool.kernel[axis] = params.pool_kernel[axis];
    conv.pool.stride[axis] = params.pool_stride[axis];
    conv.pool.padding[axis] = params.pool_padding[axis];
    conv.pool.dilation[axis] = 1;
  }
  conv.result_height = result.dims[2];
  conv.result_width = result.dims[3];
  conv.pooled_height = dy.dims[2];
  conv.pooled_width = dy.dims[3];
  conv.input_stride = input.dims[1] * conv.height * conv.width;
  conv.pooled_stride = dy.dims[1] * conv.pooled_height * conv.pooled_width;
  return conv;
}

}  // namespace

SparseProblem sparse_problem(const Check& check, const op::Conv2dReluMaxPoolParams& params,
                             const PooledOperands& operands, std::uint32_t threads) {
  bp_tensor_desc result = plugin::convolution_result(params.conv, operands.input, operands.weight);
  set_row_major(result);
  const Convolution convolution(check, params.conv, operands.input, operands.weight, result);
  check_pooled(check, params, operands);
  const std::int64_t images = operands.input.dims[0];
  const auto parts = std::min<std::int64_t>(convolution.team(threads), images);
  return {conv_of(params, operands, result), convolution.shape(), images, params.conv.groups,
          static_cast<std::uint32_t>(parts)};
}

bool fits_sparse_conv(const PooledOperands& operands, const op::Conv2dParams& params) {
  const bp_tensor_desc &input = operands.input, &weight = operands.weight;
  if (element_count(input) == 0 || element_count(weight) == 0 || element_count(operands.dy) == 0) {
    return false;
  }
  double floats = static_cast<double>(input.dims[1]) + 16;
  for (int axis = 0; axis < 2; ++axis) {
    floats *=
        static_cast<double>(input.dims[2 + axis] + params.padding[axis] + params.padding[axis + 2]);
  }
  return floats < std::numeric_limits<std::int32_t>::max();
}

}  // namespace backplane::onednn
