// Comparisons and logic, whose results are 0 or 1 in u8, and the choice between two operands.
#include "cpu/comparison.h"

#include "backend.hpp"
#include "binary.hpp"

namespace backplane::onednn {
namespace {

template <class Relation>
struct Compare {
  void operator()(cpu::Plane plane, auto a, auto b, auto dst) const {
    cpu::compare(Relation(), plane, a, b, dst);
  }
};

// The dtype that both operands have; y is u8.
std::uint32_t check_relation(const Check& check, const plugin::Request& request) {
  check_pair(check, request, {"a", "b", "y"});
  check.dtype(request.outputs[0], "y", {BP_U8});
  const std::uint32_t dtype = request.inputs[0].dtype;
  check.that(request.inputs[1].dtype == dtype, "a and b have one dtype");
  return dtype;
}

template <class Op, class Relation>
std::unique_ptr<plugin::Plan> plan_comparison(plugin::Request& request) {
  const Check check(op::row_of<Op>, request);
  return with_number(check, check_relation(check, request), [&]<class T>(T) {
    return plan_pair_of<T, std::uint8_t>(request, Compare<Relation>());
  });
}

template <class Op, class Relation>
std::unique_ptr<plugin::Plan> plan_logic(plugin::Request& request) {
  const Check check(op::row_of<Op>, request);
  check_relation(check, request);
  check.dtype(request.inputs[0], "a", {BP_U8});
  return plan_pair_of<std::uint8_t, std::uint8_t>(request, Compare<Relation>());
}

template <class T>
std::unique_ptr<plugin::Plan> plan_choice(plugin::Request& request) {
  settle_elementwise(request);
  request.implementation = "vector loop";
  const Nest nest(
      {&request.outputs[0], &request.inputs[0], &request.inputs[1], &request.inputs[2]});
  return make_plan(request, [nest, threads = request.threads](const plugin::HostRun& run) {
    const auto* condition = run.input<std::uint8_t>(0);
    const T *a = run.input<T>(1), *b = run.input<T>(2);
    T* dst = run.output<T>(0);
    nest.run(threads, [&](cpu::Plane plane, const Nest::Steps& at) {
      cpu::choose(plane, strided(condition, at[1]), strided(a, at[2]), strided(b, at[3]),
                  strided(dst, at[0]));
    });
  });
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Equal&, plugin::Request& request) {
  return plan_comparison<op::Equal, cpu::Equal>(request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::NotEqual&, plugin::Request& request) {
  return plan_comparison<op::NotEqual, cpu::NotEqual>(request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Less&, plugin::Request& request) {
  return plan_comparison<op::Less, cpu::Less>(request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LessEqual&, plugin::Request& request) {
  return plan_comparison<op::LessEqual, cpu::LessEqual>(request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LogicalAnd&, plugin::Request& request) {
  return plan_logic<op::LogicalAnd, cpu::LogicalAnd>(request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LogicalOr&, plugin::Request& request) {
  return plan_logic<op::LogicalOr, cpu::LogicalOr>(request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::LogicalXor&, plugin::Request& request) {
  return plan_logic<op::LogicalXor, cpu::LogicalXor>(request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Where&, plugin::Request& request) {
  const Check check(op::row_of<op::Where>, request);
  check.inputs(3, 3);
  check.outputs(1, 1);
  const bp_tensor_desc& y = request.outputs[0];
  check.dtype(request.inputs[0], "condition", {BP_U8});
  check.same_dims(request.inputs[0], "condition", y);
  check.same_dims(request.inputs[1], "a", y);
  check.same_dims(request.inputs[2], "b", y);
  check.that(request.inputs[1].dtype == y.dtype && request.inputs[2].dtype == y.dtype,
             "a, b and y have one dtype");
  switch (cpu::size_of(cpu_type(y.dtype))) {
    case 1:
      return plan_choice<std::uint8_t>(request);
    case 2:
      return plan_choice<std::uint16_t>(request);
    case 4:
      return plan_choice<std::uint32_t>(request);
    default:
      return plan_choice<std::uint64_t>(request);
  }
}

}  // namespace backplane::onednn
