// What reductions over axes share: which axes go, and what is left.
#pragma once

#include <vector>

#include "functional/operands.hpp"

namespace backplane::detail {

struct Reduced {
  std::uint32_t axes = 0;
  Shape kept;      // reduced axes have size 1
  Shape vanished;  // reduced axes are gone
  std::int64_t terms = 1;
};

// Over the given axes, or all of them where none is given.
[[nodiscard]] Reduced reduce(const char* name, const Tensor& x,
                             const std::vector<std::int64_t>& given);

}  // namespace backplane::detail
