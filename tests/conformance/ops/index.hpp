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

// What a wait says of the indices 0, 2, 1, 0, 3, -1 of three rows; `also` follows them as an input.
// Each row has one index, which is repeated along it as an embedding's is, or written out.
template <class Op>
std::string text_of_range_fault(backplane::Device device, bool repeated,
                                const std::vector<Tensor>& also) {
  using namespace backplane;  // NOLINT: the tests are a consumer of the API
  const Stream stream = Stream::current(device);
  stream.synchronize();
  const std::vector<double> indices{0, 2, 1, 0, 3, -1};
  const Tensor each = host_tensor(indices, {6, 1}, DType::i64).to(device).expand({6, 2});
  std::vector<Tensor> inputs{zeros({3, 2}, {.device = device}), repeated ? each : each.clone()};
  for (const Tensor& input : also) inputs.push_back(input.to(device));
  const std::vector outputs{empty(also.empty() ? Shape{6, 2} : Shape{3, 2}, {.device = device})};
  execute(Operation(Op{0}), inputs, outputs);
  try {
    stream.synchronize();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_range) throw;
    return error.what();
  }
  return "nothing";
}

template <class Op>
std::string range_fault(backplane::Device device, const std::vector<Tensor>& also = {}) {
  const std::string once = text_of_range_fault<Op>(device, true, also);
  const std::string all = text_of_range_fault<Op>(device, false, also);
  if (once.find("sample 4 has 3") == std::string::npos) {
    return "the error must name the first wrong index (3, the fourth that is stored), it is: " +
           once;
  }
  return all.find("sample 8 has 3") != std::string::npos
             ? ""
             : "the error must name the first wrong index (3, at 8), it is: " + all;
}

}  // namespace conformance
