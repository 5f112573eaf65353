// What sum and mean are tried on: shapes, and the axes that vanish.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

#include "case.hpp"

namespace conformance {

struct Reduced {
  Shape shape;
  std::uint32_t axes;       // bit i: axis i
  bool exact_mean = false;  // the number of summed elements is a power of two

  [[nodiscard]] Shape result() const {
    Shape shape_of_result = shape;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if ((axes >> axis & 1) != 0) shape_of_result[axis] = 1;
    }
    return shape_of_result;
  }
  [[nodiscard]] std::string text() const {
    std::string names;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
      if ((axes >> axis & 1) != 0) names += fmt::format("{}{}", names.empty() ? "" : ".", axis);
    }
    return dims_text(shape) + ", axes " + (names.empty() ? "none" : names);
  }
};

inline const std::array reduced_shapes{
    Reduced{{}, 0, true},
    Reduced{{1}, 0b1, true},
    Reduced{{31}, 0b1},
    Reduced{{32}, 0b1, true},
    Reduced{{33}, 0b1},
    Reduced{{3, 5}, 0b00},
    Reduced{{31, 33}, 0b01},
    Reduced{{33, 31}, 0b10},
    Reduced{{16, 64}, 0b01, true},
    Reduced{{16, 64}, 0b11, true},
    Reduced{{2, 3, 4}, 0b101, true},
    Reduced{{2, 3, 4}, 0b010},
    Reduced{{4, 6, 8, 8}, 0b1101, true},  // what a bias's gradient takes
    Reduced{{2, 5, 3, 7}, 0b1100},
    Reduced{{3, 24001}, 0b10},
    Reduced{{24001, 3}, 0b01},
};

}  // namespace conformance
