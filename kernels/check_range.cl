// check_range: are all values in [0, limit) or, where one is to be ignored, that one? The first that
// isn't goes into the error record.
//
// One group reads them all, so that the lowest index wins without atomics. `record` is what later
// kernels on the queue look at; `mirror` is where the host reads it without a copy.
#include "lines.h"

// Operand of the nest: values.
KERNEL(check_range, Nest nest, SRC(values), i64 limit, i32 ignores, i64 ignored, u64 sequence,
       DST(record), DST(mirror)) {
  SHARED(i64, scratch, GROUP);
  i64 lowest = nest.count;
  FOR_EACH_IN_LINE(i, 0, nest.count, GROUP) {
    const i64 value = SRC_AS(i64, values)[locate(&nest, i, 1).at[0]];
    const i32 fits = (0 <= value && value < limit) || (ignores && value == ignored);
    if (!fits && i < lowest) lowest = i;
  }
  lowest = tree_integer_min(scratch, GROUP, lowest);
  GLOBAL Fault* kept = DST_AS(Fault, record);
  if (LOCAL_ID == 0 && lowest < nest.count && kept->code == 0) {
    Fault fault;
    fault.sequence = sequence;
    fault.index = lowest;
    fault.value = SRC_AS(i64, values)[locate(&nest, lowest, 1).at[0]];
    fault.limit = limit;
    fault.code = 1;  // BP_FAULT_INDEX_OUT_OF_RANGE
    fault.reserved = 0;
    *kept = fault;
    *DST_AS(Fault, mirror) = fault;
  }
}
