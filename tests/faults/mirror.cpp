// The core over a back end with a private layout: reordering, falling back, and saying who could.
#include <doctest/doctest.h>

#include <array>

#include "backplane/autograd.hpp"
#include "backplane/observe/observer.hpp"
#include "backplane/plan.hpp"
#include "dispatch/dispatch.hpp"
#include "tensor/tensor_impl.hpp"
#include "unit/core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

using Values = std::vector<float>;

Device mirror() {
  return device("mirror:0");
}

class Names final : public Observer {
 public:
  void on_operation(const OperationEvent& event) override {
    names += std::string(names.empty() ? "" : " ") + std::string(event.operation.name());
  }
  std::string names;
};

std::string names_of(auto&& body) {
  Names observer;
  const ObserverGuard guard(observer);
  body();
  return observer.names;
}

bool is_private(const Tensor& x) {
  return x.impl()->layout >= BP_LAYOUT_PRIVATE;
}

}  // namespace

TEST_CASE("private layout: stays from operation to operation, and reads back in order") {
  const Tensor x = counting({2, 3}, mirror());
  const Tensor y = x + x;
  CHECK(is_private(y));
  CHECK(y.strides() == Strides{0, 0});
  CHECK(!y.is_contiguous());
  CHECK(values_of(y) == Values{0, 2, 4, 6, 8, 10});
  CHECK(names_of([&] { CHECK(is_private(y + y)); }) == "add");
  // Each strided operand is reordered first.
  CHECK(names_of([&] { static_cast<void>(x + y); }) == "copy add");
  CHECK(names_of([&] { static_cast<void>(x + x); }) == "copy copy add");
}

TEST_CASE("private layout: a view reorders first") {
  const Tensor y = counting({2, 3}, mirror()) + 0.0;
  CHECK(values_of(y.transpose(0, 1)) == Values{0, 3, 1, 4, 2, 5});
  CHECK(values_of(y.slice(1, 1, 3)) == Values{1, 2, 4, 5});
  CHECK(values_of(y.reshape({3, 2})) == Values{0, 1, 2, 3, 4, 5});
  CHECK(values_of(y.slice(0, 1, 2).expand({2, 3})) == Values{3, 4, 5, 3, 4, 5});
  CHECK(y.slice(0, 1, 2).slice(1, 2, 3).item() == 5);
  CHECK(!is_private(y.contiguous()));
  CHECK(to_string(y) == "f32[2,3] on mirror:0\n[[0, 1, 2],\n [3, 4, 5]]");
  CHECK(values_of(y.to(reference())) == Values{0, 1, 2, 3, 4, 5});
}

TEST_CASE("private layout: views, broadcasting, odd strides and empty tensors as operands") {
  const Tensor x = counting({2, 3}, mirror());
  CHECK(values_of(x.transpose(0, 1) + counting({3, 2}, mirror())) == Values{0, 4, 3, 7, 6, 10});
  CHECK(values_of(x + counting({3}, mirror())) == Values{0, 2, 4, 3, 5, 7});
  CHECK(values_of(x + counting({}, mirror())) == Values{0, 1, 2, 3, 4, 5});
  CHECK(values_of(x.slice(0, 0, 0) + x.slice(0, 1, 1)).empty());
}

TEST_CASE("fallback: an output that the device declines is computed beside, then copied") {
  const Tensor x = counting({4}, mirror());
  Tensor target = counting({8}, mirror());
  const Tensor stepped = target.slice(0, 1, 8, 2);
  CHECK(names_of([&] {
          detail::run_in_place(Operation(op::Add{}), std::array{x, x}, std::array{stepped});
        }) == "copy copy add copy");
  CHECK(values_of(target) == Values{0, 0, 2, 2, 4, 4, 6, 6});
  const auto version = target.impl()->storage->version.load();
  stepped.detach().copy_from(x);
  CHECK(target.impl()->storage->version == version + 1);
}

TEST_CASE("fallback: in place, over its own input") {
  const Tensor x = counting({4}, mirror());
  detail::run_in_place(Operation(op::Add{}), std::array{x, x}, std::array{x});
  CHECK(values_of(x) == Values{0, 2, 4, 6});
}

TEST_CASE("private layout: gradients are plain") {
  Tensor x = counting({2, 2}, mirror()).set_requires_grad();
  const Tensor seed = counting({2, 2}, mirror());
  for (int pass = 1; pass <= 2; ++pass) {
    backward((x + x) * 3.0, seed);
    CHECK(x.grad().is_contiguous());
    const auto scale = static_cast<float>(6 * pass);
    CHECK(values_of(x.grad()) == Values{0, scale, 2 * scale, 3 * scale});
  }
}

TEST_CASE("refusal: names what the device said, and who could do it") {
  const Tensor x = counting({4}, mirror());
  std::string others;
  for (const Device other : devices()) {
    if (other.backend() != "mirror" && other.backend() != "thrower") {
      others += (others.empty() ? "" : ", ") + other.name();
    }
  }
  CHECK(error_of([&] { return mul(x, x); }) ==
        "unsupported: mirror:0 cannot run mul: mul: not implemented; possible on " + others);
  CHECK(error_of([] {
          return zeros({2}, {.device = mirror()});
        }).starts_with("unsupported: mirror:0 cannot run fill: fill: not implemented"));
  // In its own layout nobody else could.
  CHECK(error_of([&] { return mul(x + x, x + x); }) ==
        "unsupported: mirror:0 cannot run mul: mul: not implemented");
}

TEST_CASE("plan: says which layouts it wants and gives") {
  const TensorSpec strided{DType::f32, {4}}, any{DType::f32, {4}, {}, 1};
  const Plan plan(mirror(), Operation(op::Affine{}), std::array{strided}, std::array{any});
  CHECK(plan.implementation() == "mirror");
  CHECK(plan.inputs()[0].layout == BP_LAYOUT_PRIVATE);
  CHECK(plan.outputs()[0].layout == BP_LAYOUT_PRIVATE);
  const Tensor x = counting({4}, mirror()), in = empty(plan.inputs()[0], mirror()),
               out = empty(plan.outputs()[0], mirror());
  const Plan reorder(mirror(), Operation(op::Copy{}), std::array{spec_of(x)}, plan.inputs());
  reorder.run(Operation(op::Copy{}), std::array{x}, std::array{in});
  plan.run(Operation(op::Affine{}, {2, 1}), std::array{in}, std::array{out});
  CHECK(values_of(out) == Values{1, 3, 5, 7});
  CHECK(error_of([&] {
          return plan.run(Operation(op::Affine{}, {2, 1}), std::array{x}, std::array{out}), 0;
        }) ==
        "invalid_argument: affine: input 0 must be f32[4] in layout 2 on mirror:0, is f32[4] "
        "with strides [1] on mirror:0");
}
