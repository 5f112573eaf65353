// One launch of one group, so that the lowest place wins.
#include "range.hpp"

#include <algorithm>

namespace backplane::card {

void check_index(const Check& check, const bp_tensor_desc& x, const bp_tensor_desc& index,
                 std::int32_t axis) {
  const auto rank = static_cast<std::int32_t>(x.rank);
  check.that(0 <= axis && axis < rank,
             "axis " + std::to_string(axis) + " is not one of rank " + std::to_string(rank));
  bp_tensor_desc elsewhere = x;
  if (index.rank == x.rank) elsewhere.dims[axis] = index.dims[axis];
  check.same_dims(index, "index", elsewhere);
}

bp_tensor_desc without_repetition(const bp_tensor_desc& desc) {
  bp_tensor_desc once = desc;
  for (std::uint32_t axis = 0; axis < once.rank; ++axis) {
    if (once.strides[axis] == 0) once.dims[axis] = std::min<i64>(once.dims[axis], 1);
  }
  return once;
}

namespace {

Nest walk_once(const bp_tensor_desc& values) {
  const bp_tensor_desc once = without_repetition(values);
  return nest({&once});
}

}  // namespace

RangeCheck::RangeCheck(const bp_tensor_desc& values, i64 limit, std::optional<i64> ignored)
    : walk_(walk_once(values)), limit_(limit), ignored_(ignored) {}

void RangeCheck::enqueue(const Call& call, const Memory& values) const {
  launch(call.queue, kernel::check_range, Groups{walk_.count > 0 ? 1u : 0u}, walk_, values, limit_,
         ignored_.has_value(), ignored_.value_or(0), call.sequence, call.queue.record(),
         call.queue.mirror());
}

}  // namespace backplane::card
