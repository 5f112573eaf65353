// The operation that made the first NaN or infinity.
#include "backplane/observe/anomaly.hpp"

#include <cmath>
#include <optional>

#include "autograd/node.hpp"
#include "check.hpp"
#include "observe/values.hpp"

namespace backplane {
namespace {

struct Found {
  double value;
  std::int64_t at;  // row-major
};

// The first element for which `is` holds.
template <class Is>
std::optional<Found> find(const std::vector<double>& elements, Is is) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (is(elements[i])) return Found{elements[i], static_cast<std::int64_t>(i)};
  }
  return std::nullopt;
}

bool is_nan(double value) {
  return std::isnan(value);
}
bool is_infinite(double value) {
  return std::isinf(value);
}

std::vector<double> elements_of(const Tensor& tensor) {
  if (!tensor.defined() || !is_floating(tensor.dtype())) return {};
  return detail::as_doubles(detail::host_copy(tensor));
}

// As in "nan in sample 3, element [3,1] of f32[4,2]".
std::string place(const Found& found, const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  Shape at = shape;
  std::int64_t rest = found.at;
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    at[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  const std::string sample = shape.rank() == 0 ? "" : fmt::format("sample {}, ", at[0]);
  return fmt::format("{} in {}element {} of {}", found.value, sample, to_string(at),
                     detail::describe(tensor));
}

// As in " (the gradient of matmul)".
std::string pass() {
  const char* const name = detail::backward_of();
  return name == nullptr ? "" : fmt::format(" (the gradient of {})", name);
}

}  // namespace

AnomalyGuard::AnomalyGuard(const AnomalyOptions& options) : watcher_(options), guard_(watcher_) {}

void AnomalyGuard::Watcher::before_operation(const Operation& operation,
                                             std::span<const Tensor> inputs) {
  infinite_operands_ = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<double> elements = elements_of(inputs[i]);
    if (const auto found = find(elements, is_nan)) {
      detail::reject("anomaly: operand {} of {}{} has {}; no operation that was watched made it", i,
                     operation.name(), pass(), place(*found, inputs[i]));
    }
    infinite_operands_ = infinite_operands_ || find(elements, is_infinite).has_value();
  }
}

void AnomalyGuard::Watcher::on_operation(const OperationEvent& event) {
  if (event.operation.as<op::Fill>() != nullptr) return;
  for (std::size_t i = 0; i < event.outputs.size(); ++i) {
    const std::vector<double> elements = elements_of(event.outputs[i]);
    auto found = find(elements, is_nan);
    if (!found && options_.infinities && !infinite_operands_) found = find(elements, is_infinite);
    if (!found) continue;
    detail::reject("anomaly: {} #{}{} made {}, output {}; its operands are {}",
                   event.operation.name(), event.sequence, pass(), place(*found, event.outputs[i]),
                   i, infinite_operands_ ? "infinite in part" : "finite");
  }
}

}  // namespace backplane
