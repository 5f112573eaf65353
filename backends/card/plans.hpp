// A plan for every operation, of launches of the kernels in kernels/: what the devices of CUDA and
// OpenCL have in common.
#pragma once

#include <memory>

#include "product.hpp"

namespace backplane::card {

// A device derives from it beside plugin::DeviceOf, says how matrices are multiplied, and hides
// with overloads of its own what it does better.
class Plans {
 public:
  // One for each row of ops.hpp, defined in the file of the operation's name; a gradient stands
  // beside what it is the gradient of.
#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic) \
  std::unique_ptr<plugin::Plan> plan(const op::Op&, plugin::Request&);
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

 protected:
  ~Plans() = default;

 private:
  // May take scratch memory from the request.
  [[nodiscard]] virtual std::shared_ptr<const Product> product(const Check& check,
                                                               plugin::Request& request,
                                                               const Matrix& y, const Matrix& a,
                                                               const Matrix& b) const = 0;
};

}  // namespace backplane::card
