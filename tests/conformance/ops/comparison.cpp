// Rows of equal, not_equal, less, less_equal, of logical_and, logical_or, logical_xor, and of
// where.
#include "ops/elementwise.hpp"
#include "ops/ops.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

constexpr double inf = INFINITY;

// Lists of 7 and of 5 numbers, so that they meet in all ways; `first` decides a single element.
Row relation(const Operation& operation, double first, DType dtype = DType::f32) {
  const Fill a = values({2, 0, 3, 1, 2, 5, 1}), b = values({first, 2, 0, 1, 3});
  return {.operation = operation,
          .arguments = "",
          .inputs = {{{}, dtype, a, a}, {{}, dtype, b, b}},
          .outputs = {}};
}

Row of_truth(Row row) {
  row.outputs = {{row.outputs[0].shape, DType::u8}};
  row.aliases = {};
  return row;
}

void add_relation_rows(Suite& suite, const Operation& operation, double first,
                       const std::vector<double>& special) {
  const Row row = relation(operation, first);
  for (const Shape& shape : function_shapes) suite.add(of_truth(on_shape(row, shape)));
  suite.add(of_truth(on_shape(row, {3, 24001})));
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8, DType::u16,
                            DType::i32, DType::i64}) {
    Row typed = of_truth(on_shape(row, {5, 33}, dtype));
    typed.classes = {DataClass::exact};
    suite.add(typed);
  }
  for (const Shape& shape : empty_shapes) {
    Row none = of_truth(on_shape(row, shape));
    none.classes = {DataClass::special};
    none.trivial = true;
    suite.add(none);
  }
  const std::vector<double> a{NAN, NAN, 1, inf, -inf, -0.0, 2, 3},
      b{NAN, 1, NAN, inf, inf, 0, 3, 2};
  suite.answer(DataClass::special, {.operation = operation,
                                    .arguments = "special values 67",
                                    .inputs = {written({67}, a), written({67}, b)},
                                    .outputs = {{{67}, DType::u8}},
                                    .answers = {repeated(special, 67)}});
}

void add_logic_rows(Suite& suite, const Operation& operation, const std::vector<double>& answers) {
  const std::vector<double> a{1, 255, 0, 0}, b{2, 0, 7, 0};
  for (const Shape& shape : {Shape{33}, Shape{2, 3, 5, 7}, Shape{3, 24001}}) {
    Row row{.operation = operation,
            .arguments = dims_text(shape),
            .inputs = {written(shape, a, DType::u8), written(shape, b, DType::u8)},
            .outputs = {{shape, DType::u8}},
            .classes = {DataClass::exact},
            .aliases = {0}};
    suite.add(row);
  }
  suite.answer(DataClass::closed_form,
               {.operation = operation,
                .arguments = "truth table",
                .inputs = {written({4}, a, DType::u8), written({4}, b, DType::u8)},
                .outputs = {{{4}, DType::u8}},
                .answers = {answers}});
}

Row choice(const Shape& shape, DType dtype) {
  return {.operation = Operation(op::Where{}),
          .arguments = type_text(dtype) + dims_text(shape),
          .inputs = {written(shape, {1, 0, 0, 2, 1}, DType::u8),
                     {shape, dtype, whole(1, 50), reals(1, 2)},
                     {shape, dtype, whole(51, 100), reals(-2, -1)}},
          .outputs = {{shape, dtype}}};
}

void where_rows(Suite& suite) {
  for (const Shape& shape : elementwise_shapes) suite.add(choice(shape, DType::f32));
  for (const DType dtype : {DType::f64, DType::f16, DType::bf16, DType::i8, DType::u8, DType::u16,
                            DType::i32, DType::i64}) {
    Row row = choice({5, 33}, dtype);
    row.classes = {DataClass::exact};
    suite.add(row);
  }
  for (const Shape& shape : empty_shapes) {
    Row none = choice(shape, DType::f32);
    none.classes = {DataClass::special};
    none.trivial = true;
    suite.add(none);
  }
  // What isn't chosen leaves no trace.
  Row special = choice({67}, DType::f32);
  special.arguments += ", special values";
  special.inputs[1] = written({67}, {NAN, NAN, inf, -0.0});
  special.inputs[2] = written({67}, {1, -inf, NAN, 3});
  special.inputs[0] = written({67}, {1, 0, 0, 255}, DType::u8);
  special.answers = {repeated({NAN, -inf, NAN, -0.0}, 67)};
  suite.answer(DataClass::special, special);
}

}  // namespace

void comparison_rows(Suite& suite) {
  add_relation_rows(suite, Operation(op::Equal{}), 2, {0, 0, 0, 1, 0, 1, 0, 0});
  add_relation_rows(suite, Operation(op::NotEqual{}), 3, {1, 1, 1, 0, 1, 0, 1, 1});
  add_relation_rows(suite, Operation(op::Less{}), 4, {0, 0, 0, 0, 1, 0, 1, 0});
  add_relation_rows(suite, Operation(op::LessEqual{}), 2, {0, 0, 0, 1, 1, 1, 1, 0});
  add_logic_rows(suite, Operation(op::LogicalAnd{}), {1, 0, 0, 0});
  add_logic_rows(suite, Operation(op::LogicalOr{}), {1, 1, 1, 0});
  add_logic_rows(suite, Operation(op::LogicalXor{}), {0, 1, 1, 0});
  where_rows(suite);
}

}  // namespace conformance
