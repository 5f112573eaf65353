// Making tensors, reading them on the host, and printing them.
#include "backplane/tensor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr DType all_types[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,
                               DType::u8,  DType::u16, DType::i32, DType::i64};

}  // namespace

TEST_CASE("tensor: an undefined one says so") {
  const Tensor none;
  CHECK(!none.defined());
  CHECK(to_string(none) == "undefined tensor");
  CHECK(error_of([&] { return none.shape(); }) ==
        "invalid_argument: shape: the tensor is undefined; give it a value first");
  CHECK(error_of([&] { return none.to(reference()); }) ==
        "invalid_argument: device: the tensor is undefined; give it a value first");
  CHECK(error_of([&] { return add(none, none); }) ==
        "invalid_argument: add: the tensor is undefined; give it a value first");
}

TEST_CASE("tensor: factories on the device and on the host") {
  for (const Device device : {reference(), Device::host()}) {
    CHECK(values_of(zeros({2}, {.device = device})) == std::vector<float>{0, 0});
    CHECK(values_of(ones({2}, {.device = device})) == std::vector<float>{1, 1});
    CHECK(values_of(full({1, 2}, 2.5, {.device = device})) == std::vector<float>{2.5, 2.5});
    CHECK(values_of(tensor({1, 2, 3}, {.device = device})) == std::vector<float>{1, 2, 3});
    const Tensor scalar = full({}, 4, {.device = device});
    CHECK(scalar.rank() == 0);
    CHECK(scalar.count() == 1);
    CHECK(scalar.item() == 4);
    const Tensor none = zeros({0, 3}, {.device = device});
    CHECK(none.count() == 0);
    CHECK(values_of(none).empty());
    CHECK(full({1, 1, 1, 1, 1, 1, 1, 2}, 3, {.device = device}).size(-1) == 2);
    CHECK(ones({2}, {.device = device, .requires_grad = true}).requires_grad());
  }
}

TEST_CASE("tensor: factories refuse what can't be") {
  CHECK(error_of([] {
          return empty({2, -1});
        }) == "invalid_argument: empty: sizes can't be negative, shape [2,-1]");
  CHECK(error_of([] {
          return tensor(std::vector<float>{1, 2}, {3});
        }) == "invalid_argument: tensor: 2 values don't fill shape [3] of 3 elements");
  CHECK(error_of([] { return zeros({2}, {.dtype = DType::i32, .requires_grad = true}); }) ==
        "invalid_argument: full: only floating types have gradients, this is i32");
  CHECK(error_of([] { return empty({2}, {.dtype = DType::u8, .requires_grad = true}); }) ==
        "invalid_argument: empty: only floating types have gradients, this is u8");
  CHECK(
      error_of([] { return tensor(std::vector<std::int64_t>{1}, {1}, {.requires_grad = true}); }) ==
      "invalid_argument: set_requires_grad: only floating types have gradients, this is i64; "
      "cast it");
  CHECK(error_of([] { return full({2}, 1, {.dtype = DType::f16, .device = Device::host()}); }) ==
        "invalid_argument: fill: the host can't write f16; fill on a device, then copy");
}

TEST_CASE("tensor: item of every type, as real and as whole number") {
  for (const DType type : all_types) {
    const Tensor x = full({1}, 3, on_reference(type));
    CHECK_MESSAGE(x.item() == 3.0f, to_string(type));
    CHECK_MESSAGE(x.item<double>() == 3.0, to_string(type));
    CHECK_MESSAGE(x.item<std::int64_t>() == 3, to_string(type));
  }
  CHECK(full({1}, -1.5, on_reference(DType::f16)).item() == -1.5f);
  CHECK(full({1}, -1.5, on_reference(DType::bf16)).item<int>() == -1);
  CHECK(full({1}, 0x1p-24, on_reference(DType::f16)).item() == 0x1p-24f);  // denormal
  CHECK(std::isinf(full({1}, INFINITY, on_reference(DType::f16)).item()));
  CHECK(std::isnan(full({1}, NAN, on_reference(DType::f16)).item()));
  CHECK(tensor(std::vector{most}, {1}, on_reference()).item<std::int64_t>() == most);
}

TEST_CASE("tensor: item of what no integer holds saturates, as copy does") {
  CHECK(full({1}, NAN, on_reference()).item<std::int64_t>() == 0);
  CHECK(full({1}, 1e30, on_reference()).item<std::int64_t>() == most);
  CHECK(full({1}, -1e30, on_reference()).item<std::int64_t>() == -most - 1);
  const TensorOptions bytes{.dtype = DType::u8, .device = Device::host()};
  CHECK(full({1}, 300, bytes).item<int>() == 255);
  CHECK(full({1}, -1, bytes).item<int>() == 0);
  CHECK(full({1}, NAN, bytes).item<int>() == 0);
  CHECK(full({1}, 1e30, {.dtype = DType::i64, .device = Device::host()}).item<std::int64_t>() ==
        most);
}

TEST_CASE("tensor: item wants one element") {
  CHECK(error_of([] {
          return zeros({2, 3}).item();
        }) ==
        "invalid_argument: item: expects one element, the tensor is f32[2,3]; reduce or slice it "
        "first");
  CHECK(counting({2, 3}).slice(0, 1, 2).slice(1, 2, 3).item() == 5);
}

TEST_CASE("tensor: the host view, and what it refuses") {
  Tensor x = counting({2, 2}, Device::host());
  CHECK(x.data<float>()[3] == 3);
  x.data<float>()[3] = 9;
  CHECK(values_of(x) == std::vector<float>{0, 1, 2, 9});
  CHECK(error_of([] { return counting({2}).data<float>().size(); }) ==
        "invalid_argument: data: the program can't read f32[2] on reference:0; call cpu() first");
  CHECK(
      error_of([&] { return x.data<std::int32_t>().size(); }) ==
      "invalid_argument: data: the elements are f32, read as i32; use the tensor's type or cast()");
  CHECK(error_of([&] { return x.transpose(0, 1).data<float>().size(); }) ==
        "invalid_argument: data: the elements of f32[2,2] with strides [1,2] don't lie in a row; "
        "call contiguous() first");
  CHECK(counting({2}).cpu().data<float>()[1] == 1);
}

TEST_CASE("tensor: printing") {
  CHECK(to_string(counting({2, 3})) == "f32[2,3] on reference:0\n[[0, 1, 2],\n [3, 4, 5]]");
  CHECK(to_string(full({}, 1.5, on_reference())) == "f32[] on reference:0\n1.5");
  CHECK(to_string(zeros({0}, on_reference())) == "f32[0] on reference:0\n[]");
  CHECK(to_string(full({2}, 65, on_reference(DType::u8))) == "u8[2] on reference:0\n[65, 65]");
  CHECK(to_string(full({2}, -3, on_reference(DType::i8))) == "i8[2] on reference:0\n[-3, -3]");
  CHECK(to_string(full({1}, 0.5, on_reference(DType::bf16))) == "bf16[1] on reference:0\n[0.5]");
  CHECK(to_string(zeros({1001}, on_reference())) == "f32[1001] on reference:0");
  const Tensor half = full({1}, 2, on_reference(DType::f16)).cpu();
  CHECK(to_string(half) == "f16[1] on host\n(cast to f32 on a device to see the values)");
  const Tensor leaf = counting({2, 2}).set_requires_grad();
  std::ostringstream out;
  out << leaf.transpose(0, 1);
  CHECK(out.str() == "f32[2,2] on reference:0\n[[0, 2],\n [1, 3]]");
}

TEST_CASE("tensor: sizes by axis") {
  const Tensor x = counting({2, 3});
  CHECK(x.size(0) == 2);
  CHECK(x.size(-1) == 3);
  CHECK(x.storage_offset() + 3 == x.slice(0, 1, 2).storage_offset());
  CHECK(error_of([&] { return x.size(2); }) ==
        "out_of_range: size: axis 2 is outside [-2, 2) of shape [2,3]");
}

TEST_CASE("tensor: gradients can be set, dropped and refused") {
  Tensor x = counting({2, 2}).set_requires_grad();
  CHECK(!x.grad().defined());
  x.set_grad(counting({2, 2}).transpose(0, 1));
  CHECK(x.grad().is_contiguous());
  CHECK(values_of(x.grad()) == std::vector<float>{0, 2, 1, 3});
  x.set_grad({});
  CHECK(!x.grad().defined());
  CHECK(error_of([&] { return x.set_grad(counting({4})), 0; }) ==
        "invalid_argument: set_grad: a gradient has the tensor's type, shape and device: f32[2,2] "
        "on reference:0, given f32[4] on reference:0");
  CHECK(error_of([&] { return relu(x).set_requires_grad(false); }) ==
        "invalid_argument: set_requires_grad: only leaves can be set, this tensor is the result of "
        "relu; detach() it");
}
