// What the softmax family is tried on: shapes, an axis, and the range of the numbers.
#pragma once

#include <array>
#include <string>

#include "case.hpp"

namespace conformance {

struct Along {
  Shape shape;
  std::int32_t axis;
  double low = -10, high = 10;

  [[nodiscard]] std::string text() const {
    std::string range;
    if (low != -10) range = ", from " + std::to_string(static_cast<std::int64_t>(low));
    return dims_text(shape) + ", axis " + std::to_string(axis) + range;
  }
};

inline const std::array softmax_shapes{
    Along{{5}, 0},
    Along{{3, 1}, 1},
    Along{{64, 10}, 1},
    Along{{5, 31}, 1},
    Along{{5, 32}, 1},
    Along{{5, 33}, 1},
    Along{{33, 5}, 0},
    Along{{3, 5, 7}, 1},
    Along{{2, 3, 4, 5}, 1},
    Along{{3, 1000}, 1},
    Along{{2, 20001}, 1},
    Along{{4, 33}, 1, -1000, -900},
    Along{{4, 33}, 1, -80, 80},
};

}  // namespace conformance
