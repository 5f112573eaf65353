// Where a draw of Philox random numbers stands: the key, and the three counter words that are the
// same for a whole sample. The fourth, which block of four elements, is the loop's.
#pragma once

#include <cstdint>

namespace backplane::cpu {

struct PhiloxStream {
  std::uint32_t key0, key1, counter1, counter2, counter3;
};

// Elements that share the high half of their block's number, and hence a stream.
inline constexpr std::int64_t philox_elements_per_stream = std::int64_t{4} << 32;

}  // namespace backplane::cpu
