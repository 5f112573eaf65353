// Matrix products of our own: tiles in local memory for GPUs, blocks in registers for CPUs.
#pragma once

#include "card/product.hpp"
#include "programs.hpp"

namespace backplane::opencl {

[[nodiscard]] std::shared_ptr<const card::Product> make_product(
    const Programs& programs, const card::Check& check, plugin::Request& request,
    const card::Matrix& y, const card::Matrix& a, const card::Matrix& b);

}  // namespace backplane::opencl
