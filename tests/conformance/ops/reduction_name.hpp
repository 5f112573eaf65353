// How a loss is reduced, in names and in shapes.
#pragma once

#include "backplane/functional.hpp"

namespace conformance {

[[nodiscard]] inline const char* reduction_name(backplane::Reduction reduction) {
  switch (reduction) {
    case backplane::Reduction::mean:
      return "mean";
    case backplane::Reduction::sum:
      return "sum";
    case backplane::Reduction::none:
      break;
  }
  return "none";
}

[[nodiscard]] inline backplane::Shape loss_shape(backplane::Reduction reduction,
                                                 const backplane::Shape& each) {
  return reduction == backplane::Reduction::none ? each : backplane::Shape{};
}

}  // namespace conformance
