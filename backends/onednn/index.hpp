// What operations with an index ask of it, and the report of one that is out of range.
#pragma once

#include "check.hpp"
#include "layout.hpp"
#include "plan.hpp"

namespace backplane::onednn {

// Throws unless `index` is i64 with the dims of x but for the axis; both become strided.
void settle_index(const Check& check, bp_tensor_desc& x, bp_tensor_desc& index, std::int32_t axis);

// An output of open layout becomes row-major; a private one is declined.
void settle_strided(const Check& check, bp_tensor_desc& output);

// Reports the first element of an input that is not in [0, limit).
class RangeCheck {
 public:
  RangeCheck(const bp_tensor_desc& index, std::int64_t limit);
  void report(const plugin::HostRun& run, std::size_t input) const;

 private:
  bp_tensor_desc once_;  // each element that lies in memory, once
  std::int64_t limit_;
};

}  // namespace backplane::onednn
