// matmul with a bias: one call of cuBLASLt where it takes the operands; else as on all cards.
#include "biased_product.hpp"
#include "device.hpp"
#include "handles.hpp"

namespace backplane::cuda {
namespace {

bool is_dense_line(const bp_tensor_desc& desc) {
  return desc.layout == BP_LAYOUT_STRIDED && desc.rank == 1 &&
         (desc.dims[0] == 1 || desc.strides[0] == 1);
}

// Whether the epilogue can do it; what is wrong with a request is for the plan of all cards to say.
bool suits_epilogue(const plugin::Request& request) {
  if (request.inputs.size() != 3 || request.outputs.size() != 1 || request.adds_to != 0) {
    return false;
  }
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1], &y = request.outputs[0];
  for (const bp_tensor_desc* desc : {&a, &b, &y}) {
    if (desc->dtype != BP_F32 || desc->rank != 2 || card::element_count(*desc) == 0) return false;
  }
  const bp_tensor_desc& bias = request.inputs[2];
  return bias.dtype == BP_F32 && is_dense_line(bias) &&
         (y.layout == BP_LAYOUT_ANY || card::leading_of_rows(card::matrix_of(y)));
}

}  // namespace

std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Matmul& op, plugin::Request& request) {
  if (!suits_epilogue(request)) return Plans::plan(op, request);
  plugin::Request plain = request;
  auto fallback = Plans::plan(op, plain);  // checks the request, and gives it its layouts
  const CurrentDevice scope(ordinal_);
  const BlasScratch scratch(request, blas_workspace_bytes());
  const auto product = BiasedProduct::find(
      lt_.get(), card::matrix_of(request.outputs[0]), card::matrix_of(request.inputs[0]),
      card::matrix_of(request.inputs[1]), request.strict, scratch);
  if (product == nullptr) {
    request = plain;
    return fallback;
  }
  return card::make_plan<op::Matmul>(
      request, "cuBLASLt, bias in its epilogue", [product](const card::Call& call) {
        product->enqueue(call, call.output(0), call.input(0), call.input(1), call.input(2));
      });
}

}  // namespace backplane::cuda
