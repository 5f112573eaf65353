// Cards that may read each other's memory.
#pragma once

namespace backplane::cuda {

// Lets the current device read `peer` directly where the machine can; else the driver copies
// through the host's memory, with the same result.
void reach_peer(int ordinal, int peer);

}  // namespace backplane::cuda
