// A plan for every operation, of launches of the kernels in kernels/: what the devices of CUDA and
// OpenCL have in common.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <type_traits>

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

  // The plan of a part of an operation, by the device's own overload where it has one.
  template <class Op>
  [[nodiscard]] std::unique_ptr<plugin::Plan> part(const Op& op, plugin::Request& request) {
    constexpr std::uint32_t bytes = std::is_empty_v<Op> ? 0 : sizeof(Op);
    return create_part({op::row_of<Op>.id, bytes, &op, nullptr}, request);
  }

 private:
  // Of the factors of matrix products and convolutions, whose sums are f32.
  [[nodiscard]] virtual Types factor_types() const {
    return f32;
  }
  // plugin::DeviceOf's, which a device has beside these plans.
  [[nodiscard]] virtual std::unique_ptr<plugin::Plan> create_part(const bp_op& op,
                                                                  plugin::Request& request) = 0;
  // Of factors that have the type of input 0. May take scratch memory from the request.
  [[nodiscard]] virtual std::shared_ptr<const Product> product(const Check& check,
                                                               plugin::Request& request,
                                                               const Matrix& y, const Matrix& a,
                                                               const Matrix& b) const = 0;

  std::atomic<i64> convolution_scratch_ = i64{256} << 20;
};

}  // namespace backplane::card
