// Checks that functions share; each message opens with the function's name.
#pragma once

#include "autograd/record.hpp"
#include "backplane/functional.hpp"
#include "check.hpp"
#include "dispatch/dispatch.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane::detail {

// Both defined and of one type; devices are dispatch's affair.
void check_same_type(const char* name, const Tensor& a, const Tensor& b);
void check_floating(const char* name, const Tensor& x);
void check_rank(const char* name, const char* role, const Tensor& x, std::size_t rank);
// Of an operand through which no gradient flows: an Error if one would be wanted.
void check_constant(const char* name, const char* role, const Tensor& x);
// One loss for each element, or their mean or sum.
[[nodiscard]] Tensor reduced(const Tensor& losses, Reduction reduction);
[[nodiscard]] inline Output like(const Tensor& x) { return {x.dtype(), x.shape()}; }

}  // namespace backplane::detail
