// Copies between devices, the host, strides and types; writing in place.
#include <doctest/doctest.h>

#include "backplane/autograd.hpp"
#include "backplane/buffer.hpp"
#include "core_support.hpp"
#include "tensor/tensor_impl.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

// The host and every device.
std::vector<Device> places() {
  std::vector<Device> all = devices();
  all.push_back(Device::host());
  return all;
}

}  // namespace

TEST_CASE("copy: between all places, under any strides") {
  for (const Device from : places()) {
    for (const Device to : places()) {
      const Tensor x = counting({3, 4}, from);
      for (const Tensor& view : {x, x.transpose(0, 1), x.slice(1, 1, 3), x.slice(0, 0, 3, 2),
                                 x.slice(0, 1, 2).expand({2, 4}), x.slice(0, 1, 1)}) {
        const Tensor copy = view.copy_to(to);
        CHECK(copy.device() == to);
        CHECK(copy.is_contiguous());
        CHECK(copy.impl()->storage != view.impl()->storage);
        CHECK(values_of(copy) == values_of(view));
      }
      CHECK(x.to(from).impl() == x.impl());
    }
  }
}

TEST_CASE("copy: every type keeps its bits on the way") {
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8,
                           DType::u16, DType::i32, DType::i64}) {
    const Tensor x = full({5}, 3, on_reference(type));
    const Tensor back = x.cpu().to(reference()).clone();
    CHECK(back.dtype() == type);
    CHECK(back.slice(0, 4, 5).item() == 3);
  }
}

TEST_CASE("copy_from: into a view, from another place") {
  for (const Device to : places()) {
    for (const Device from : places()) {
      Tensor x = zeros({2, 3}, {.device = to});
      x.slice(1, 1, 3).copy_from(counting({2, 2}, from));
      CHECK(values_of(x) == std::vector<float>{0, 0, 1, 0, 2, 3});
      x.transpose(0, 1).copy_from(counting({3, 2}, from));
      CHECK(values_of(x) == std::vector<float>{0, 2, 4, 1, 3, 5});
      x.slice(0, 1, 2).copy_from(counting({3, 1}, from).transpose(0, 1));
      CHECK(values_of(x) == std::vector<float>{0, 2, 4, 0, 1, 2});
    }
  }
}

TEST_CASE("copy_from: between views that overlap reads all before it writes") {
  for (const Device place : places()) {
    Tensor x = counting({3, 3}, place);
    x.copy_from(x.transpose(0, 1));
    CHECK(values_of(x) == std::vector<float>{0, 3, 6, 1, 4, 7, 2, 5, 8});
    Tensor y = counting({6}, place);
    y.slice(0, 1, 6).copy_from(y.slice(0, 0, 5));
    CHECK(values_of(y) == std::vector<float>{0, 0, 1, 2, 3, 4});
  }
}

TEST_CASE("copy_from and fill: what they refuse") {
  Tensor x = zeros({2}, on_reference());
  CHECK(error_of([&] { return x.copy_from(zeros({3})), 0; }) ==
        "invalid_argument: copy_from: type and shape must match, target f32[2], source f32[3]; "
        "reshape or cast first");
  CHECK(error_of([&] { return x.copy_from(zeros({2}, on_reference(DType::f64))), 0; }) ==
        "invalid_argument: copy_from: type and shape must match, target f32[2], source f64[2]; "
        "reshape or cast first");
  for (const Device place : places()) {
    Tensor wide = zeros({1, 2}, {.device = place}).expand({3, 2});
    CHECK(error_of([&] { return wide.fill(1), 0; }) ==
          "invalid_argument: fill: the target repeats its elements along axis 0 (shape [3,2], "
          "strides [0,1]); change the tensor that was expanded, or a clone()");
    CHECK(error_of([&] {
            return wide.copy_from(zeros({3, 2})), 0;
          }).starts_with("invalid_argument: copy_from: the target repeats its elements"));
  }
  Tensor leaf = zeros({2}, on_reference()).set_requires_grad();
  const std::string in_graph =
      "a tensor that takes part in a graph can't be changed in place; use no_grad on a leaf, or "
      "detach()";
  CHECK(error_of([&] { return leaf.fill(1), 0; }) == "invalid_argument: fill: " + in_graph);
  CHECK(error_of([&] { return no_grad([&] { leaf.fill(1); }), 0; }) == "no error");
  Tensor result = leaf + 1.0;
  CHECK(error_of([&] { return no_grad([&] { result.copy_from(leaf); }), 0; }) ==
        "invalid_argument: copy_from: " + in_graph);
}

TEST_CASE("copy: an empty or one-element tensor") {
  Tensor none = zeros({0, 2}, on_reference());
  none.fill(1);
  none.copy_from(none.clone());
  CHECK(none.cpu().count() == 0);
  const Tensor scalar = full({}, 3, on_reference());
  CHECK(scalar.cpu().item() == 3);
  CHECK(scalar.clone().rank() == 0);
}

TEST_CASE("copy: contiguous is itself, clone never") {
  const Tensor x = counting({2, 3});
  CHECK(x.contiguous().impl() == x.impl());
  CHECK(x.clone().storage_offset() != x.storage_offset());
  CHECK(x.detach().storage_offset() == x.storage_offset());
  CHECK(values_of(x.transpose(0, 1).contiguous()) == std::vector<float>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("copy: transfers are counted in bytes") {
  const Tensor host = counting({10}, Device::host());
  const TransferStats before = transfer_stats(reference());
  const Tensor there = host.to(reference());
  const Tensor back = there.cpu();
  const TransferStats now = transfer_stats(reference());
  CHECK(now.bytes_to_device - before.bytes_to_device == 40);
  CHECK(now.bytes_from_device - before.bytes_from_device == 40);
}
