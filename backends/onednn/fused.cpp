// Fused operations that this back end runs as their parts.
#include "backend.hpp"

namespace backplane::onednn {

#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic)                          \
  std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Op&, plugin::Request&) {        \
    throw plugin::unsupported(#name ": not fused here; run its parts");                      \
  }
BACKPLANE_FUSED_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::onednn
