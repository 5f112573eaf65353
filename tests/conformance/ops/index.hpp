// What operations with an index are tried on, and whether an index out of range is reported.
#pragma once

#include <array>
#include <string>

#include "backplane/stream.hpp"
#include "execute.hpp"
#include "ops/shapes.hpp"

namespace conformance {

struct Indexed {
  Shape shape;
  std::int32_t axis;
  std::int64_t count;  // of the index, along the axis

  [[nodiscard]] Shape index() const {
    Shape result = shape;
    result[static_cast<std::size_t>(axis)] = count;
    return result;
  }
  [[nodiscard]] std::int64_t limit() const { return shape[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] std::string text() const {
    return dims_text(shape) + ", axis " + std::to_string(axis) + ", " + std::to_string(count) +
           " each";
  }
  [[nodiscard]] Argument index_argument() const {
    const Fill any = whole(0, limit() - 1);
    return {index(), DType::i64, any, any};
  }
};

inline const std::array indexed_shapes{
    Indexed{{7}, 0, 5},          Indexed{{1}, 0, 4},        Indexed{{5, 9}, 0, 33},
    Indexed{{33, 31}, 1, 32},    Indexed{{3, 5, 7}, 1, 11}, Indexed{{2, 3, 4, 5}, 2, 6},
    Indexed{{4, 8, 6, 6}, 1, 3}, Indexed{{40, 65}, 0, 500},
};

// What a wait says after an operation along the first axis; empty: nothing.
template <class Op>
std::string text_of_range_fault(const std::vector<Tensor>& inputs) {
  using namespace backplane;  // NOLINT: the tests are a consumer of the API
  const Device device = inputs[0].device();
  const Stream stream = Stream::current(device);
  stream.synchronize();
  const Tensor& like = inputs[std::is_same_v<Op, op::Gather> ? 1 : 0];
  const std::vector outputs{empty(like.shape(), {.device = device})};
  execute(Operation(Op{0}), inputs, outputs);
  try {
    stream.synchronize();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
    return error.what();
  }
  return "";
}

// Three rows and the indices 0, 2, 1, 0, 3, -1, one for each of six rows: repeated along it as an
// embedding's is, and written out. Then an axis that has no element. `also` follows as an input.
template <class Op>
std::string range_fault(backplane::Device device, const std::vector<Tensor>& also = {}) {
  using namespace backplane;  // NOLINT: the tests are a consumer of the API
  const auto text = [&](std::int64_t rows, const Tensor& index) {
    std::vector<Tensor> inputs{zeros({rows, 2}, {.device = device}), index};
    for (const Tensor& input : also) inputs.push_back(input.to(device));
    return text_of_range_fault<Op>(inputs);
  };
  const std::vector<double> indices{0, 2, 1, 0, 3, -1};
  const Tensor each = host_tensor(indices, {6, 1}, DType::i64).to(device).expand({6, 2});
  struct Expected {
    std::string said;
    const char* words;
  };
  const Tensor zero = zeros({6, 2}, {.dtype = DType::i64, .device = device});
  for (const auto& [said, words] : {Expected{text(3, each), "sample 4 has 3"},
                                    Expected{text(3, each.clone()), "sample 8 has 3"},
                                    Expected{text(0, zero), "sample 0 has 0"}}) {
    if (said.find(words) != std::string::npos) continue;
    return "the error must name the first wrong index (" + std::string(words) +
           "), it is: " + (said.empty() ? "none" : said);
  }
  return "";
}

}  // namespace conformance
