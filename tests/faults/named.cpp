// Operations that a plug-in names: run, cached, observed, given a gradient, and refused in words.
// The plug-in stands alone in its folder, so these need a path of their own.
#include <doctest/doctest.h>

#include <array>

#include "backplane/autograd.hpp"
#include "backplane/function.hpp"
#include "backplane/observe/agreement.hpp"
#include "backplane/observe/oracle.hpp"
#include "backplane/run_operation.hpp"
#include "plugins/namer.hpp"
#include "unit/core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

Device namer_device() {
  return device("namer:0");
}

Operation square(float scale, float shift = 0) {
  return Operation::named(namer::square, namer::Square{scale}, namer::Shift{shift});
}

Tensor line(const std::vector<float>& values) {
  return tensor(values, {static_cast<std::int64_t>(values.size())}, {.device = namer_device()});
}

Tensor run_on(const Operation& operation, const Tensor& x) {
  return run_operation(operation, std::array{x}, TensorSpec{DType::f32, x.shape()});
}

}  // namespace

TEST_CASE("named operation: parameters and scalars arrive" * doctest::skip()) {
  CHECK(values_of(run_on(square(2, 1), line({1, 2, 3}))) == std::vector<float>{3, 9, 19});
}

TEST_CASE("named operation: plans are found by name and parameters" * doctest::skip()) {
  const Tensor x = line({1, 2, 3, 4});
  static_cast<void>(run_on(square(5), x));
  const PlanCacheStats first = plan_cache_stats(namer_device());
  CHECK(values_of(run_on(square(5, 7), x))[0] == 12);  // other scalars: the same plan
  const PlanCacheStats second = plan_cache_stats(namer_device());
  CHECK(second.hits == first.hits + 1);
  CHECK(second.misses == first.misses);
  CHECK(values_of(run_on(square(6), x))[0] == 6);
  CHECK(plan_cache_stats(namer_device()).misses == second.misses + 1);
  const std::array both{x, x};
  const Operation other = Operation::named(namer::square_backward, namer::Square{5});
  CHECK(values_of(run_operation(other, both, TensorSpec{DType::f32, {4}}))[1] == 40);
}

TEST_CASE("named operation: observers see it, and audits know that it has no reference" *
          doctest::skip()) {
  const Tensor x = line({1, 2});
  AgreementAudit audit;
  {
    const ObserverGuard guard(audit);
    static_cast<void>(run_on(square(2), x));
  }
  CHECK(audit.report().operations_unknown == 1);
  CHECK(audit.report().operations_checked == 0);
  CHECK(error_of([&] {
          return expect(square(2), std::array{x}, std::array{x}).outputs;
        }).starts_with("unsupported: oracle: namer.square is an operation of a plug-in"));
}

TEST_CASE("named operation: a Function gives it a gradient" * doctest::skip()) {
  const Function scaled_square(
      "scaled_square",
      [](FunctionContext& context, std::span<const Tensor> inputs) {
        context.save({inputs[0]});
        return run_on(square(3), inputs[0]);
      },
      [](const FunctionContext& context, const Tensor& dy) {
        const Tensor& x = context.saved(0);
        const Operation backward = Operation::named(namer::square_backward, namer::Square{3});
        return std::vector{
            run_operation(backward, std::array{dy, x}, TensorSpec{DType::f32, x.shape()})};
      });
  Tensor x = line({1, 2, 3}).set_requires_grad();
  const Tensor y = scaled_square({x});
  CHECK(values_of(y) == std::vector<float>{3, 12, 27});
  backward(y, line({1, 1, 2}));
  CHECK(values_of(x.grad()) == std::vector<float>{6, 12, 36});
}

TEST_CASE("named operation: refusals" * doctest::skip()) {
  const Tensor x = line({1, 2});
  CHECK(error_of([] { return run_on(square(1), counting({2})); }) ==
        "unsupported: reference:0 cannot run namer.square: namer.square: not implemented; possible "
        "on "
        "namer:0");
  CHECK(error_of([&] { return run_on(Operation::named("namer.cube"), x); }) ==
        "unsupported: namer:0 cannot run namer.cube: namer.cube: not implemented");
  CHECK(error_of([&] {
          return run_on(Operation::named(namer::square, std::array{1.0f, 1.0f}, namer::Shift{}), x);
        }) ==
        "unsupported: namer:0 cannot run namer.square: namer.square: a parameter is set that is "
        "newer than this back end");
  CHECK(error_of([&] {
          return run_on(Operation::named(namer::square, namer::Square{1}), x);
        }).find("namer.square: wants its shift") != std::string::npos);
  CHECK(error_of([] { return Operation::named("").name(); }) ==
        "invalid_argument: operation: the name of a plug-in's operation is empty");
  CHECK(error_of([] { return Operation::named("relu").name(); }) ==
        "invalid_argument: operation: relu is no name for a plug-in's own operation, it is one of "
        "plugin/ops.hpp; make it from its struct");
}
