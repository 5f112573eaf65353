// Comparisons and logic, whose results are 0 or 1 in u8, and the choice between two operands.
#include "check.hpp"
#include "plan.hpp"
#include "plans.hpp"

namespace backplane::card {
namespace {

template <class Op>
std::unique_ptr<plugin::Plan> plan_relation(plugin::Request& request, Types types, i32 relation) {
  Check check(op::row_of<Op>, request);
  check.arguments({{"a", types}, {"b", types}}, {{"y", only(BP_U8)}});
  check.one_shape();
  const bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1];
  if (a.dtype != b.dtype) {
    throw check.unsupported("takes operands of one type, got " + describe(a) + " and " +
                            describe(b) + "; cast one");
  }
  const auto kernel = is_integer(a) ? kernel::compare_integer : kernel::compare_float;
  return make_plan<Op>(request, "elementwise kernel",
                       [kernel, relation, walk = nest({&request.outputs[0], &a, &b}),
                        dtype = static_cast<i32>(a.dtype)](const Call& call) {
                         launch(call.queue, kernel, items(walk.count), walk, call.output(0),
                                call.input(0), call.input(1), dtype, relation);
                       });
}

constexpr Types truth = only(BP_U8), comparable = floats | integers;

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::Equal&, plugin::Request& request) {
  return plan_relation<op::Equal>(request, comparable, RELATION_EQUAL);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::NotEqual&, plugin::Request& request) {
  return plan_relation<op::NotEqual>(request, comparable, RELATION_NOT_EQUAL);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Less&, plugin::Request& request) {
  return plan_relation<op::Less>(request, comparable, RELATION_LESS);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::LessEqual&, plugin::Request& request) {
  return plan_relation<op::LessEqual>(request, comparable, RELATION_LESS_EQUAL);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::LogicalAnd&, plugin::Request& request) {
  return plan_relation<op::LogicalAnd>(request, truth, RELATION_AND);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::LogicalOr&, plugin::Request& request) {
  return plan_relation<op::LogicalOr>(request, truth, RELATION_OR);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::LogicalXor&, plugin::Request& request) {
  return plan_relation<op::LogicalXor>(request, truth, RELATION_XOR);
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::Where&, plugin::Request& request) {
  Check check(op::row_of<op::Where>, request);
  check.arguments({{"condition", truth}, {"a", any_type}, {"b", any_type}}, {{"y", any_type}});
  check.one_shape();
  const bp_tensor_desc &y = request.outputs[0], &condition = request.inputs[0],
                       &a = request.inputs[1], &b = request.inputs[2];
  if (a.dtype != y.dtype || b.dtype != y.dtype) {
    throw check.unsupported("takes a, b and y of one type, got " + describe(a) + ", " +
                            describe(b) + " and " + describe(y) + "; cast them");
  }
  return make_plan<op::Where>(request, "elementwise kernel",
                              [walk = nest({&y, &condition, &a, &b}),
                               bytes = static_cast<i32>(element_bytes(y.dtype))](const Call& call) {
                                launch(call.queue, kernel::where_bits, items(walk.count), walk,
                                       call.output(0), call.input(0), call.input(1), call.input(2),
                                       bytes);
                              });
}

}  // namespace backplane::card
