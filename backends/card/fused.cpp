// Fused operations that cards run as their parts.
#include "plans.hpp"

namespace backplane::card {

#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic)               \
  std::unique_ptr<plugin::Plan> Plans::plan(const op::Op&, plugin::Request&) {    \
    throw plugin::unsupported(#name ": not fused here; run its parts");           \
  }
BACKPLANE_FUSED_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

}  // namespace backplane::card
