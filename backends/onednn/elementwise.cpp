// How layouts spread through element-wise operations.
#include "elementwise.hpp"

#include <algorithm>

#include "layout.hpp"
#include "parallel.hpp"

namespace backplane::onednn {

void settle_elementwise(plugin::Request& request) {
  bp_tensor_desc& output = request.outputs[0];
  if (output.layout == BP_LAYOUT_ANY) {
    auto model = std::ranges::find_if(request.inputs, [](auto& x) { return block_of(x) != 0; });
    if (model == request.inputs.end()) model = std::ranges::find_if(request.inputs, is_dense);
    if (model == request.inputs.end()) {
      set_row_major(output);
    } else {
      set_like(output, *model);
    }
  }
  if (element_count(output) < elements_worth_a_team || !is_dense(output)) return;
  for (bp_tensor_desc& input : request.inputs) {
    if (is_dense(input) && !same_layout(input, output)) set_like(input, output);
  }
}

}  // namespace backplane::onednn
