// The order of an epoch's samples.
#pragma once

#include <cstdint>
#include <vector>

namespace backplane::detail {

// 0, 1, ... count - 1. count is at most 2^32.
[[nodiscard]] std::vector<std::int64_t> given_order(std::int64_t count);

// A permutation of them, uniform over all, which depends on nothing but the arguments. The standard
// library's shuffle and distributions differ from one implementation to the next, so this has its
// own.
[[nodiscard]] std::vector<std::int64_t> shuffled_order(std::int64_t count, std::uint64_t seed,
                                                       std::uint32_t epoch);

}  // namespace backplane::detail
