// What every function of one element, and every gradient of one, is tried on.
#pragma once

#include <array>
#include <string>

#include "case.hpp"
#include "ops/shapes.hpp"

namespace conformance {

// Rank 0, both the body and the tail of vectors, and rank 4.
inline const std::array function_shapes{Shape{}, Shape{33}, Shape{2, 3, 5, 7}};

// `like` says the operation, its parameters in words, and what is in each input.
inline Row on_shape(Row like, const Shape& shape, DType dtype = DType::f32) {
  const std::string parameters = like.arguments.empty() ? "" : ", " + like.arguments;
  like.arguments = type_text(dtype) + dims_text(shape) + parameters;
  for (Argument& input : like.inputs) {
    input.shape = shape;
    input.dtype = dtype;
  }
  like.outputs = {{shape, dtype}};
  like.aliases = {0};
  return like;
}

inline void add_function_rows(Suite& suite, const Row& like) {
  for (const Shape& shape : function_shapes) suite.add(on_shape(like, shape));
  Row shared = on_shape(like, {3, 24001});  // enough to divide among threads
  shared.layouts = {Layout::contiguous, Layout::sliced, Layout::any};
  suite.add(shared);
  suite.add(on_shape(like, {5, 33}, DType::f64));
  for (const DType half : {DType::f16, DType::bf16}) {
    Row row = on_shape(like, {5, 33}, half);
    row.layouts = {Layout::contiguous, Layout::transposed};
    suite.add(row);
  }
  for (const Shape& shape : empty_shapes) {
    Row row = on_shape(like, shape);
    row.classes = {DataClass::special};
    row.trivial = true;
    suite.add(row);
  }
}

// The answers to written inputs, over and over. Those that are finite and not 0 may be off by
// `ulps`.
inline void add_special_row(Suite& suite, Row like, const std::vector<std::vector<double>>& inputs,
                            const std::vector<double>& answers, double ulps = 0) {
  const Shape shape{67};
  like.arguments = "special values 67" + (like.arguments.empty() ? "" : ", " + like.arguments);
  like.inputs.clear();
  for (const std::vector<double>& input : inputs) like.inputs.push_back(written(shape, input));
  like.outputs = {{shape}};
  like.answers = {repeated(answers, 67)};
  like.ulps = ulps;
  suite.answer(DataClass::special, like);
}

// What tables say of a few numbers; the other rows are judged by the reference.
inline void add_known_row(Suite& suite, Row like, const std::vector<double>& x,
                          const std::vector<double>& answers) {
  const Shape shape{static_cast<std::int64_t>(x.size())};
  like.arguments = "known values" + (like.arguments.empty() ? "" : ", " + like.arguments);
  like.inputs = {written(shape, x)};
  like.outputs = {{shape}};
  like.answers = {answers};
  like.ulps = 16;
  suite.answer(DataClass::closed_form, like);
}

}  // namespace conformance
