// copy: between any two types and any two sets of strides.
#include "backend.hpp"
#include "check.hpp"
#include "plan.hpp"

namespace backplane::reference {
namespace {

// Integers of the same width, as which the bits of any value survive, a signalling NaN's too.
std::uint32_t bits_dtype(std::uint32_t dtype) {
  switch (element_bytes(dtype)) {
    case 2:
      return BP_U16;
    case 4:
      return BP_I32;
    case 8:
      return BP_I64;
    default:
      return dtype;
  }
}

template <class Value>
void copy_as(const Call& call) {
  call.store(0, call.load<Value>(0));
}

void copy_bits(const Call& call) {
  bp_tensor_desc src = call.input(0).desc;
  bp_tensor_desc dst = call.output(0).desc;
  src.dtype = dst.dtype = bits_dtype(src.dtype);
  store(Tensor{dst, call.output(0).data}, load<std::uint64_t>({src, call.input(0).data}));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Copy&, plugin::Request& request) {
  Check check(op::row_of<op::Copy>, request);
  check.arguments({{"x", any_number}}, {{"y", any_number}});
  const bp_tensor_desc &src = request.inputs[0], &dst = request.outputs[0];
  check.same_dims(dst, "y", src);
  if (request.adds_to == 0 && src.dtype == dst.dtype) {
    return make_plan<op::Copy>(request, copy_bits);
  }
  const bool floats = is_floating(src);
  check.that(request.adds_to == 0 || floats == is_floating(dst),
             std::string("adding takes two floating or two integer types, got ") +
                 dtype_name(src.dtype) + " and " + dtype_name(dst.dtype));
  return make_plan<op::Copy>(request, floats ? copy_as<double> : copy_as<std::uint64_t>);
}

}  // namespace backplane::reference
