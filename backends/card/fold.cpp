// prod, max, min: over the axes whose bit is set.
#include "lines.hpp"
#include "plans.hpp"
#include "reduced.hpp"

namespace backplane::card {
namespace {

template <class Op>
std::unique_ptr<plugin::Plan> plan_fold(plugin::Request& request, std::uint32_t axes, i32 fold) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"x", floats | integers}}, {{"y", floats | integers}});
  check.one_type();
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check_reduced(check, x, axes, y, "y");
  check.that(fold == FOLD_PROD || element_count(x) > 0 || element_count(y) == 0,
             "there is no element to choose along the axes");
  const bool integer = is_integer(x);
  const ChunkedLines lines(request, axes, x, y, integer ? BP_I64 : BP_F64);
  return make_plan<Op>(
      request, "fixed tree",
      [lines, fold,
       kernel = integer ? kernel::fold_integer : kernel::fold_float](const Call& call) {
        lines.for_each_pass(
            call, call.output(0), call.input(0),
            [&](const ChunkedLines::Pass& pass, const Memory& dst, const Memory& src) {
              launch(call.queue, kernel, pass.grid(), pass.outputs, pass.inputs, dst, src,
                     pass.y_dtype, pass.x_dtype, pass.chunks, pass.lanes(), fold);
            });
      });
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Prod& op, plugin::Request& request) {
  return plan_fold<op::Prod>(request, op.axes, FOLD_PROD);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Max& op, plugin::Request& request) {
  return plan_fold<op::Max>(request, op.axes, FOLD_MAX);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Min& op, plugin::Request& request) {
  return plan_fold<op::Min>(request, op.axes, FOLD_MIN);
}

}  // namespace backplane::card
