// Batches in memory from which a device reads by itself.
#pragma once

#include "backplane/data/dataset.hpp"

namespace backplane::detail {

// A copy of the batch in pinned memory of the device; the batch itself where it has none.
[[nodiscard]] Batch pinned_batch(Batch batch, Device device);

}  // namespace backplane::detail
