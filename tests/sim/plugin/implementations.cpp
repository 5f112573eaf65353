// Which kernel a plan takes, by what its operands look like.
#include <doctest/doctest.h>

#include "backplane/backplane.hpp"
#include "backplane/plan.hpp"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

TensorSpec f32(const Shape& shape) {
  return {.dtype = DType::f32, .shape = shape};
}
TensorSpec strided(const Shape& shape, std::array<std::int64_t, 2> strides) {
  TensorSpec spec = f32(shape);
  spec.strides = Strides(strides);
  return spec;
}
std::string matmul(const std::vector<TensorSpec>& inputs, const TensorSpec& y) {
  return Plan(device("cuda:0"), Operation(op::Matmul{}), inputs, std::vector{y}).implementation();
}

}  // namespace

TEST_CASE("implementations: a bias goes into the epilogue where y is row-major") {
  const TensorSpec a = f32({4, 6}), b = f32({6, 5}), bias = f32({5}), y = f32({4, 5});
  CHECK(matmul({a, b, bias}, y) == "cuBLASLt, bias in its epilogue");
  CHECK(matmul({a, strided({6, 5}, {1, 6}), bias}, y) == "cuBLASLt, bias in its epilogue");
  CHECK(matmul({a, b, bias}, strided({4, 5}, {8, 1})) == "cuBLASLt, bias in its epilogue");
  CHECK(matmul({a, b, bias}, strided({4, 5}, {1, 4})) == "cuBLAS");
  CHECK(matmul({a, b, bias}, strided({4, 5}, {10, 2})) == "cuBLAS, strided copy");
  CHECK(matmul({a, b}, y) == "cuBLAS");
}
