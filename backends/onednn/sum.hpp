// What sum and mean share: all of it but the division.
#pragma once

#include <memory>

#include "check.hpp"

namespace backplane::onednn {

enum class Total { sum, mean };

[[nodiscard]] std::unique_ptr<plugin::Plan> plan_sum(const Check& check, plugin::Request& request,
                                                     std::uint32_t axes, Total what);

}  // namespace backplane::onednn
