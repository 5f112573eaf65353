// The most memory that this process held, as the system counts it.
#pragma once

#include <cstdint>

namespace backplane::cli {

// Starts a new count at what is held now. Where the system forbids that, the old count goes on.
void reset_process_peak();
[[nodiscard]] std::uint64_t process_peak_bytes();  // 0: unknown

}  // namespace backplane::cli
