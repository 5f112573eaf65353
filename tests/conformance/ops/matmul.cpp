// Rows of matmul and of matmul_activation.
#include <fmt/format.h>

#include "adjoint.hpp"
#include "ops/activation_name.hpp"
#include "ops/ops.hpp"
#include "ops/shapes.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

struct Sizes {
  std::int64_t m, k, n;
  bool bias = false;
};

constexpr std::array sizes{
    Sizes{1, 1, 1},      Sizes{1, 1, 1, true},     Sizes{2, 3, 4},          Sizes{2, 3, 4, true},
    Sizes{1, 33, 1},     Sizes{33, 1, 31, true},   Sizes{31, 32, 33},       Sizes{33, 31, 32, true},
    Sizes{32, 33, 31},   Sizes{1, 64, 100},        Sizes{100, 64, 1, true}, Sizes{5, 1000, 7, true},
    Sizes{128, 256, 64}, Sizes{8, 9216, 10, true},  // the MNIST CNN's last layer
};

Row matmul_row(const Sizes& s, DType dtype = DType::f32) {
  Row row{.operation = Operation(op::Matmul{}),
          .arguments = fmt::format("{}{}x{} by {}x{}{}", type_text(dtype), s.m, s.k, s.k, s.n,
                                   s.bias ? ", bias" : ""),
          .inputs = {{{s.m, s.k}, dtype}, {{s.k, s.n}, dtype}},
          .outputs = {{{s.m, s.n}, dtype}},
          .terms = s.k,
          .adds_to = 1};
  if (s.bias) row.inputs.push_back({{s.n}, dtype});
  if (s.m * s.k * s.n == 1) {  // one product of small integers is 0 too often
    for (Argument& input : row.inputs) input.exact = whole(1, 4);
    row.outputs[0].exact = whole(1, 4);
  }
  return row;
}

// A matrix for each index of the leading axes.
Row batched_row(const Shape& batch, const Sizes& s, DType dtype = DType::f32) {
  Row row = matmul_row(s, dtype);
  row.arguments = type_text(dtype) + dims_text(batch) + " of " + matmul_row(s).arguments;
  for (std::vector<Argument>* arguments : {&row.inputs, &row.outputs}) {
    for (Argument& argument : *arguments) {
      Shape shape = batch;
      for (const std::int64_t size : argument.shape) shape.push_back(size);
      argument.shape = shape;
    }
  }
  return row;
}

Row activated(Row row, op::Activation activation) {
  row.operation = Operation(op::MatmulActivation{activation});
  row.arguments = std::string(activation_name(activation)) + ", " + row.arguments;
  row.classes = classes_of(activation);
  row.adds_to = 0;
  return row;
}

void activated_rows(Suite& suite) {
  const op::Activation none = op::Activation::none, relu = op::Activation::relu;
  const op::Activation sigmoid = op::Activation::sigmoid, tanh = op::Activation::tanh;
  suite.add(activated(matmul_row({2, 3, 4, true}), relu));
  suite.add(activated(matmul_row({33, 31, 32, true}), sigmoid));
  suite.add(activated(matmul_row({5, 1000, 7}), tanh));
  suite.add(activated(matmul_row({31, 32, 33, true}), none));
  suite.add(activated(matmul_row({128, 256, 64, true}), relu));
  suite.add(activated(matmul_row({5, 33, 7, true}, DType::f64), relu));
  suite.add(activated(matmul_row({5, 33, 7}, DType::f64), tanh));
  suite.add(activated(batched_row({3}, {5, 33, 7}), relu));
  suite.add(activated(with_factors(matmul_row({31, 32, 33, true}), DType::bf16), relu));
  suite.add(activated(with_factors(matmul_row({5, 33, 7}), DType::f16), sigmoid));
  Row no_rows = activated(matmul_row({0, 3, 4, true}), relu);
  no_rows.classes = {DataClass::special};
  no_rows.trivial = true;
  suite.add(no_rows);
  Row nothing_to_sum = activated(matmul_row({2, 0, 3, true}), relu);
  nothing_to_sum.inputs[2] = written({3}, {7, -8, 9});
  nothing_to_sum.answers = {{7, 0, 9, 7, 0, 9}};
  suite.answer(DataClass::special, nothing_to_sum);

  // A column of numbers times 1.
  for (const KnownActivation& known : known_activations) {
    Row row = activated(matmul_row({37, 1, 1}), known.activation);
    row.arguments += ", special values";
    row.inputs = {written({37, 1}, known.x), written({1, 1}, {1})};
    row.answers = {repeated(known.y, 37)};
    row.ulps = known.ulps;
    suite.answer(DataClass::special, row);
  }
}

// The gradients are products with a transposed operand.
std::string adjoint_fault(Device device, const Sizes& s) {
  Adjoint adjoint(device);
  const Tensor a = adjoint.integers({s.m, s.k}), b = adjoint.integers({s.k, s.n});
  const Tensor dy = adjoint.integers({s.m, s.n});
  const Operation matmul(op::Matmul{});
  const Tensor y = adjoint.run(matmul, {a, b}, {s.m, s.n});
  const Tensor da = adjoint.run(matmul, {dy, b.transpose(0, 1)}, {s.m, s.k});
  const Tensor db = adjoint.run(matmul, {a.transpose(0, 1), dy}, {s.k, s.n});
  const std::string fault = Adjoint::compare(y, dy, a, da);
  return fault.empty() ? Adjoint::compare(y, dy, b, db) : fault;
}

}  // namespace

void matmul_rows(Suite& suite) {
  for (const Sizes& s : sizes) suite.add(matmul_row(s));
  for (const Sizes& s : {Sizes{5, 33, 7}, Sizes{31, 32, 33}}) {
    suite.check(DataClass::closed_form, "matmul",
                fmt::format("{}x{} by {}x{}, adjoint", s.m, s.k, s.k, s.n),
                [s](Device device) { return adjoint_fault(device, s); });
  }
  suite.add(matmul_row({5, 33, 7, true}, DType::f64));
  suite.add(batched_row({3}, {5, 33, 7}));
  suite.add(batched_row({2, 3}, {31, 32, 33}));
  suite.add(batched_row({2, 1, 3, 2}, {4, 5, 6}));
  suite.add(batched_row({40}, {16, 17, 18}));
  suite.add(batched_row({3}, {5, 33, 7}, DType::f64));
  for (const DType dtype : {DType::bf16, DType::f16}) {
    for (const Sizes& s : {Sizes{1, 1, 1, true}, Sizes{5, 33, 7, true}, Sizes{33, 1, 31},
                           Sizes{31, 32, 33}, Sizes{1, 64, 100}, Sizes{128, 256, 64}}) {
      suite.add(with_factors(matmul_row(s), dtype));
    }
    suite.add(with_factors(batched_row({2, 3}, {31, 32, 33}), dtype));
  }
  for (Row row : {batched_row({0, 2}, {2, 3, 4}), batched_row({2}, {2, 0, 3})}) {
    row.classes = {DataClass::special};
    row.adds_to = 0;
    row.trivial = true;
    suite.add(row);
  }
  for (const Sizes& s : {Sizes{0, 3, 4}, Sizes{3, 4, 0, true}}) {
    Row row = matmul_row(s);
    row.classes = {DataClass::special};
    row.adds_to = 0;
    row.trivial = true;
    suite.add(row);
  }
  Row nothing_to_sum = matmul_row({2, 0, 3, true});
  nothing_to_sum.inputs[2] = written({3}, {7, 8, 9});
  nothing_to_sum.answers = {{7, 8, 9, 7, 8, 9}};
  nothing_to_sum.adds_to = 0;
  suite.answer(DataClass::special, nothing_to_sum);
  suite.answer(DataClass::special, with_factors(nothing_to_sum, DType::bf16));

  // An infinity times 0 is NaN, and reaches its own row and column only.
  Row infinite = matmul_row({2, 2, 2});
  infinite.arguments += ", non-finite";
  infinite.inputs = {written({2, 2}, {INFINITY, 1, 2, 3}), written({2, 2}, {0, 1, 5, 6})};
  infinite.answers = {{NAN, INFINITY, 15, 20}};
  infinite.adds_to = 0;
  suite.answer(DataClass::special, infinite);
  suite.answer(DataClass::special, with_factors(infinite, DType::bf16));

  Row known = matmul_row({2, 3, 2, true});
  known.arguments += ", by hand";
  known.inputs = {written({2, 3}, {1, 2, 3, 4, 5, 6}), written({3, 2}, {7, 8, 9, 10, 11, 12}),
                  written({2}, {100, 200})};
  known.answers = {{158, 264, 239, 354}};
  known.adds_to = 0;
  suite.answer(DataClass::closed_form, known);
  Row batch = batched_row({2}, {1, 2, 2});
  batch.arguments += ", by hand";
  batch.inputs = {written({2, 1, 2}, {1, 2, 3, 4}), written({2, 2, 2}, {1, 0, 0, 1, 5, 6, 7, 8})};
  batch.answers = {{1, 2, 43, 50}};
  batch.adds_to = 0;
  suite.answer(DataClass::closed_form, batch);
  activated_rows(suite);
}

}  // namespace conformance
