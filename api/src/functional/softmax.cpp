// softmax and log_softmax along one axis.
#include "functional/operands.hpp"

namespace backplane {
namespace {

// The two differ in their operations only; both gradients are functions of dy and y.
template <class Forward, class Backward>
Tensor along_axis(const char* name, const Tensor& x, std::int64_t given) {
  detail::check_floating(name, x);
  const auto axis = static_cast<std::int32_t>(x.shape().axis(given, name));
  const Tensor y = detail::run(Operation(Forward{axis}), {x}, detail::like(x));
  if (!detail::records({x})) return y;
  return detail::record(
      name, {x}, y, [name, axis, y = detail::SavedTensor(y)](const detail::BackwardCall& call) {
        const Tensor& result = y.get(name);
        return std::vector{detail::run(Operation(Backward{axis}), {call.gradient, result},
                                       detail::like(result))};
      });
}

}  // namespace

Tensor softmax(const Tensor& x, std::int64_t axis) {
  return along_axis<op::Softmax, op::SoftmaxBackward>("softmax", x, axis);
}

Tensor log_softmax(const Tensor& x, std::int64_t axis) {
  return along_axis<op::LogSoftmax, op::LogSoftmaxBackward>("log_softmax", x, axis);
}

}  // namespace backplane
