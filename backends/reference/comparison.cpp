// Comparisons and logic, whose results are 0 or 1 in u8, and the choice between two operands.
#include <functional>

#include "backend.hpp"
#include "elementwise.hpp"

namespace backplane::reference {
namespace {

template <class Value, class Compare>
void compare_as(const Call& call, Compare compare) {
  const auto a = call.load<Value>(0);
  const auto b = call.load<Value>(1);
  std::vector<std::int64_t> y(a.size());
  std::ranges::transform(a, b, y.begin(), compare);
  call.store(0, std::move(y));
}

void check_pair(Check& check, const plugin::Request& request, Types types) {
  check.arguments({{"a", types}, {"b", types}}, {{"y", only(BP_U8)}});
  check.same_dims(request.inputs[0], "a", request.outputs[0]);
  check.same_dims(request.inputs[1], "b", request.outputs[0]);
  check.that(is_floating(request.inputs[0]) == is_floating(request.inputs[1]),
             "a and b must both be floating or both integer");
}

template <class Op, class Compare>
std::unique_ptr<plugin::Plan> plan_comparison(plugin::Request& request, Compare compare) {
  Check check(op::row_of<Op>, request);
  check_pair(check, request, any_number);
  return make_plan<Op>(
      request, [floats = is_floating(request.inputs[0]), compare](const Call& call) {
        floats ? compare_as<double>(call, compare) : compare_as<std::int64_t>(call, compare);
      });
}

template <class Op, class Combine>
std::unique_ptr<plugin::Plan> plan_logic(plugin::Request& request, Combine combine) {
  Check check(op::row_of<Op>, request);
  check_pair(check, request, only(BP_U8));
  return make_plan<Op>(request, [combine](const Call& call) {
    compare_as<std::int64_t>(
        call, [combine](std::int64_t a, std::int64_t b) { return combine(a != 0, b != 0); });
  });
}

template <class Value>
void choose_as(const Call& call) {
  const auto condition = call.load<std::int64_t>(0);
  auto y = call.load<Value>(1);
  const auto b = call.load<Value>(2);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (condition[i] == 0) y[i] = b[i];
  }
  call.store(0, std::move(y));
}

}  // namespace

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Equal&, plugin::Request& request) {
  return plan_comparison<op::Equal>(request, std::equal_to<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::NotEqual&, plugin::Request& request) {
  return plan_comparison<op::NotEqual>(request, std::not_equal_to<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Less&, plugin::Request& request) {
  return plan_comparison<op::Less>(request, std::less<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LessEqual&,
                                                    plugin::Request& request) {
  return plan_comparison<op::LessEqual>(request, std::less_equal<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LogicalAnd&,
                                                    plugin::Request& request) {
  return plan_logic<op::LogicalAnd>(request, std::logical_and<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LogicalOr&,
                                                    plugin::Request& request) {
  return plan_logic<op::LogicalOr>(request, std::logical_or<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::LogicalXor&,
                                                    plugin::Request& request) {
  return plan_logic<op::LogicalXor>(request, std::not_equal_to<>{});
}

std::unique_ptr<plugin::Plan> ReferenceDevice::plan(const op::Where&, plugin::Request& request) {
  Check check(op::row_of<op::Where>, request);
  check.arguments({{"condition", only(BP_U8)}, {"a", any_number}, {"b", any_number}},
                  {{"y", any_number}});
  const bp_tensor_desc& y = request.outputs[0];
  check.same_dims(request.inputs[0], "condition", y);
  check.same_dims(request.inputs[1], "a", y);
  check.same_dims(request.inputs[2], "b", y);
  check.that(is_floating(request.inputs[1]) == is_floating(y) &&
                 is_floating(request.inputs[2]) == is_floating(y),
             "a, b and y must all be floating or all integer");
  return make_plan<op::Where>(request, [floats = is_floating(y)](const Call& call) {
    floats ? choose_as<double>(call) : choose_as<std::int64_t>(call);
  });
}

}  // namespace backplane::reference
