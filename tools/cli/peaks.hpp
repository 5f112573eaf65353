// What the processor can do at most with the threads in use: what shares are shares of.
#pragma once

#include <cstdint>
#include <optional>

#include "backplane/device.hpp"

namespace backplane::cli {

struct Peaks {
  std::uint32_t threads;
  double multiply_add;  // operations a second in f32; a multiply-add counts as two
  double copy;          // bytes a second, those read and those written
};

// Measured now, in about a third of a second. None for a device that isn't the processor.
[[nodiscard]] std::optional<Peaks> measure_peaks(Device device);

}  // namespace backplane::cli
