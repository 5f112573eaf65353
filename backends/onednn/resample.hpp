// What avg_pool2d, adaptive_avg_pool2d and interpolate share: images made smaller or larger.
#pragma once

#include <memory>
#include <vector>

#include "check.hpp"
#include "cpu/resample.h"

namespace backplane::onednn {

// The taps of all outputs along rows and along columns.
struct TapTables {
  std::vector<cpu::Taps> rows, columns;
};

// taps(axis, in, out, o) are those of output o along axis 0 (rows) or 1 (columns).
template <class TapsOf>
[[nodiscard]] TapTables tap_tables(const bp_tensor_desc& x, const bp_tensor_desc& y,
                                   const TapsOf& taps) {
  TapTables tables;
  for (std::int64_t o = 0; o < y.dims[2]; ++o) {
    tables.rows.push_back(taps(0, x.dims[2], y.dims[2], o));
  }
  for (std::int64_t o = 0; o < y.dims[3]; ++o) {
    tables.columns.push_back(taps(1, x.dims[3], y.dims[3], o));
  }
  return tables;
}

void check_resample(const Check& check, const plugin::Request& request, const bp_tensor_desc& x,
                    const bp_tensor_desc& y);
[[nodiscard]] std::unique_ptr<plugin::Plan> forward_plan(plugin::Request& request,
                                                         TapTables tables);
[[nodiscard]] std::unique_ptr<plugin::Plan> backward_plan(plugin::Request& request,
                                                          TapTables tables);

// x -> y, and dy -> dx.
template <class Op, class TapsOf>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_resample(plugin::Request& request,
                                                          const TapsOf& taps) {
  const Check check(op::row_of<Op>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  check_resample(check, request, x, y);
  return forward_plan(request, tap_tables(x, y, taps));
}

template <class Op, class TapsOf>
[[nodiscard]] std::unique_ptr<plugin::Plan> plan_resample_backward(plugin::Request& request,
                                                                   const TapsOf& taps) {
  const Check check(op::row_of<Op>, request);
  check.inputs(1, 1);
  check.outputs(1, 1);
  const bp_tensor_desc &dx = request.outputs[0], &dy = request.inputs[0];
  check_resample(check, request, dx, dy);
  return backward_plan(request, tap_tables(dx, dy, taps));
}

}  // namespace backplane::onednn
