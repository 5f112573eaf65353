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

}  // namespace backplane::detail
