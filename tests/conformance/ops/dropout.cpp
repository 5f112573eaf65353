// Rows of dropout.
#include "adjoint.hpp"
#include "execute.hpp"
#include "ops/ops.hpp"
#include "ops/random.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

const std::array shapes{Shape{33},      Shape{5, 31},      Shape{5, 32},   Shape{5, 33},
                        Shape{3, 7, 2}, Shape{3, 8, 5, 5}, Shape{2, 30001}};

Row dropout_row(const Shape& shape, float p, const char* p_text) {
  return {.operation = Operation(op::Dropout{p}, somewhere),
          .arguments = dims_text(shape) + ", p " + p_text,
          .inputs = {{shape, DType::f32, whole(1, 4)}},
          .outputs = {{shape}},
          .aliases = {0}};
}

// Sample i of a share draws what sample first + i of the whole batch does.
std::string shares_draw_as_the_whole(Device device) {
  const Shape whole_shape{4, 33}, half_shape{2, 33};
  const Tensor whole_batch = host_tensor(std::vector<double>(4 * 33, 1), whole_shape, DType::f32);
  const Tensor half_batch = host_tensor(std::vector<double>(2 * 33, 1), half_shape, DType::f32);
  const auto run = [&](const Tensor& x, std::uint32_t first) {
    op::PhiloxScalars start = somewhere;
    start.first_sample += first;
    return host_values(
        run_operation(device, Operation(op::Dropout{0.5f}, start), {x}, {{DType::f32, x.shape()}})
            .front());
  };
  const std::vector<double> all = run(whole_batch, 0);
  std::vector<double> halves = run(half_batch, 0);
  const std::vector<double> second = run(half_batch, 2);
  halves.insert(halves.end(), second.begin(), second.end());
  return all == halves ? "" : "two halves of a batch draw other masks than the whole";
}

// Linear and diagonal: it is its own adjoint.
std::string adjoint_fault(Device device) {
  Adjoint adjoint(device);
  const Shape shape{5, 67};
  const Tensor x = adjoint.integers(shape), dy = adjoint.integers(shape);
  const Operation dropout(op::Dropout{0.5f}, somewhere);
  return Adjoint::compare(adjoint.run(dropout, {x}, shape), dy, x,
                          adjoint.run(dropout, {dy}, shape));
}

}  // namespace

void dropout_rows(Suite& suite) {
  for (const Shape& shape : shapes) {
    suite.add(dropout_row(shape, 0.5f, "0.5"));
    Row rounded = dropout_row(shape, 0.1f, "0.1");
    rounded.classes = {DataClass::real};
    suite.add(rounded);
  }
  suite.add(dropout_row({5, 33}, 0.0f, "0"));
  suite.add(dropout_row({5, 33}, 0.75f, "0.75"));
  Row empty = dropout_row({0, 5}, 0.5f, "0.5");
  empty.classes = {DataClass::special};
  empty.trivial = true;
  suite.add(empty);
  // A select, never a multiplication: what is dropped is +0 even where x is NaN or infinite.
  Row special = dropout_row({2, 35}, 0.5f, "0.5");
  special.arguments += ", special values";
  special.inputs = {written({2, 35}, {NAN, INFINITY, -INFINITY, -0.0, -1})};
  special.classes = {DataClass::special};
  suite.add(special);
  suite.check(DataClass::closed_form, "dropout", "5x67, adjoint", adjoint_fault);
  suite.check(DataClass::closed_form, "dropout", "shares of a batch", shares_draw_as_the_whole);
}

}  // namespace conformance
