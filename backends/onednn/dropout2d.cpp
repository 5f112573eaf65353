// dropout2d: whole channels of a sample stay, scaled, or become +0.
#include <algorithm>

#include "backend.hpp"
#include "dropout.hpp"
#include "elementwise.hpp"
#include "layout.hpp"

namespace backplane::onednn {

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Dropout2d& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::Dropout2d>, request);
  check_dropout(check, request);
  const Probability probability(check, op.p);
  const bp_tensor_desc& y = request.outputs[0];
  check.that(y.rank >= 2, "x has samples and channels, it is " + describe(y));
  settle_elementwise(request);
  bp_tensor_desc mask = y;
  mask.dtype = BP_U8;
  std::fill(mask.dims + 2, mask.dims + mask.rank, 1);
  set_row_major(mask);
  return plan_masked(request, mask, probability);
}

}  // namespace backplane::onednn
