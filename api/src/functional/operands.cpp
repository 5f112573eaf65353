// Checks that functions share.
#include "functional/operands.hpp"

namespace backplane::detail {

void check_same_type(const char* name, const Tensor& a, const Tensor& b) {
  if (get(a, name).dtype != get(b, name).dtype) {
    reject("{}: operands must have one type, got {} and {}; cast() one of them", name, describe(a),
           describe(b));
  }
}

void check_floating(const char* name, const Tensor& x) {
  if (!is_floating(get(x, name).dtype)) {
    reject("{}: expects a floating type, got {}; cast() it", name, describe(x));
  }
}

void check_rank(const char* name, const char* role, const Tensor& x, std::size_t rank) {
  if (get(x, name).shape.rank() != rank) {
    reject("{}: {} expects {} axes, got {}", name, role, rank, describe(x));
  }
}

void check_constant(const char* name, const char* role, const Tensor& x) {
  if (!records({x})) return;
  reject("{}: {} takes no gradient, got {}; detach() it", name, role, describe(x));
}

Tensor reduced(const Tensor& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::mean:
      return mean(losses);
    case Reduction::sum:
      return sum(losses);
    case Reduction::none:
      break;
  }
  return losses;
}

}  // namespace backplane::detail
