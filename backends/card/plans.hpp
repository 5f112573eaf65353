// A plan for every operation, of launches of the kernels in kernels/: what the devices of CUDA and
// OpenCL have in common.
#pragma once

#include <atomic>
#include <memory>
#include <string>

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

  // The settings that all cards have, for plans made from then on; false if `key` is none of them.
  // "convolution_scratch_bytes": what the columns of one convolution should stay below (256 MiB).
  bool set(const std::string& key, const std::string& value);

 protected:
  ~Plans() = default;

 private:
  // May take scratch memory from the request.
  [[nodiscard]] virtual std::shared_ptr<const Product> product(const Check& check,
                                                               plugin::Request& request,
                                                               const Matrix& y, const Matrix& a,
                                                               const Matrix& b) const = 0;

  std::atomic<i64> convolution_scratch_ = i64{256} << 20;
};

}  // namespace backplane::card
