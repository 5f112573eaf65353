// copy: between any two types and any two sets of strides.
#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

std::unique_ptr<plugin::Plan> plan_memory_copy(plugin::Request& request) {
  return make_plan<op::Copy>(request, "device copy",
                             [bytes = span_bytes(request.outputs[0])](const Call& call) {
                               if (bytes != 0)
                                 call.queue.copy_memory(call.output(0), call.input(0), bytes);
                             });
}

std::unique_ptr<plugin::Plan> plan_bit_copy(plugin::Request& request, const Nest& walk) {
  const auto bytes = static_cast<i32>(element_bytes(request.outputs[0].dtype));
  return make_plan<op::Copy>(request, "strided copy", [walk, bytes](const Call& call) {
    launch(call.queue, kernel::copy_bits, items(walk.count), walk, call.output(0), call.input(0),
           bytes);
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Copy&, plugin::Request& request) {
  Check check(op::row_of<op::Copy>, request);
  check.arguments({{"x", any_type}}, {{"y", any_type}});
  check.one_shape();
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const Nest walk = nest({&y, &x});
  const bool adds = request.adds_to != 0;
  if (x.dtype == y.dtype && !adds) {
    return walk.dense ? plan_memory_copy(request) : plan_bit_copy(request, walk);
  }
  check.that(
      !adds || is_integer(x) == is_integer(y),
      "adding takes two floating or two integer types, got " + describe(x) + " and " + describe(y));
  return make_plan<op::Copy>(
      request, "converting copy",
      [walk, adds, kernel = is_integer(x) ? kernel::copy_integer : kernel::copy_float,
       x_dtype = static_cast<i32>(x.dtype), y_dtype = static_cast<i32>(y.dtype)](const Call& call) {
        launch(call.queue, kernel, items(walk.count), walk, call.output(0), call.input(0), y_dtype,
               x_dtype, adds);
      });
}

}  // namespace backplane::card
