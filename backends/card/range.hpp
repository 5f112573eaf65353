// Integers that must be in a range: labels, indices.
#pragma once

#include <optional>

#include "check.hpp"
#include "plan.hpp"

namespace backplane::card {

// Invalid unless index is i64 and has the dims of x but for the axis.
void check_index(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& index,
                 std::int32_t axis);

// The same tensor without the elements that only repeat others: those axes have dim 1.
[[nodiscard]] bp_tensor_desc without_repetition(const bp_tensor_desc& desc);

// Reports the first value outside of [0, limit) that isn't `ignored`.
class RangeCheck {
 public:
  RangeCheck(const bp_tensor_desc& values, i64 limit, std::optional<i64> ignored = {});
  void enqueue(const Call& call, const Memory& values) const;

 private:
  Nest walk_;
  i64 limit_;
  std::optional<i64> ignored_;
};

}  // namespace backplane::card
