// What all element-wise operations agree on: the output's layout and who adapts to it.
#pragma once

#include "backplane/plugin/backend.hpp"

namespace backplane::onednn {

// An output of open layout takes that of the first dense input, a private one before a strided one.
// A large dense input in another order is asked for in the output's order: a reordering copy works
// in tiles, which beats strided reads element by element.
void settle_elementwise(plugin::Request& request);

}  // namespace backplane::onednn
