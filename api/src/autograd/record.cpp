// How operations join the graph, and what they keep.
#include "autograd/record.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "backplane/autocast.hpp"
#include "backplane/autograd.hpp"
#include "backplane/functional.hpp"
#include "check.hpp"
#include "compile/recording.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"

namespace backplane {
namespace {

thread_local bool enabled = true;

}  // namespace

bool grad_enabled() noexcept { return enabled; }
NoGradGuard::NoGradGuard() noexcept : previous_(std::exchange(enabled, false)) {}
NoGradGuard::~NoGradGuard() { enabled = previous_; }

namespace detail {

Node::~Node() {
  std::vector<std::shared_ptr<Node>> chain;
  const auto take_edges = [&chain](Node& node) {
    for (Edge& edge : node.edges) {
      if (edge.node != nullptr && edge.node.use_count() == 1) chain.push_back(std::move(edge.node));
    }
  };
  take_edges(*this);
  while (!chain.empty()) {
    const std::shared_ptr<Node> last = std::move(chain.back());
    chain.pop_back();
    take_edges(*last);
  }
}

SavedTensor::SavedTensor(const Tensor& tensor) {
  if (!tensor.defined()) return;
  // Never the handle itself: a result that is saved is about to own the node that saves it.
  tensor_ = tensor.detach();
  version_ = tensor_.impl()->storage->version;
}

const Tensor& SavedTensor::get(const char* user) const {
  if (!tensor_.defined()) return tensor_;
  const std::uint64_t now = tensor_.impl()->storage->version;
  if (now != version_) {
    reject("{}: a tensor that backward needs ({}) was changed in place {} times since forward; "
           "change a clone() instead",
           user, describe(tensor_), now - version_);
  }
  return tensor_;
}

bool records(std::span<const Tensor> inputs) {
  return enabled && std::any_of(inputs.begin(), inputs.end(), [](const Tensor& input) {
           return input.defined() && input.impl()->differentiable();
         });
}

Tensor record(const char* name, std::span<const Tensor> inputs, Tensor result,
              GradientFunction function) {
  Recording* recording = current_recording();
  if (recording != nullptr) recording->note_used(inputs);
  if (!records(inputs)) return result;
  static std::atomic<std::uint64_t> numbers{0};
  auto node = std::make_shared<Node>();
  node->name = name;
  node->number = ++numbers;
  node->autocast = autocast();
  for (const Tensor& input : inputs) {
    Edge& edge = node->edges.emplace_back();
    if (!input.defined()) continue;
    if (input.impl()->node != nullptr) {
      edge.node = input.impl()->node;
    } else if (input.impl()->requires_grad) {
      edge.leaf = input.impl();
      if (recording != nullptr) recording->note_leaf(edge.leaf);
    }
  }
  DeviceState& device = result.impl()->device();
  if (device.backend != nullptr) node->stream = current_stream(device);
  node->function = std::move(function);
  result.impl()->node = std::move(node);
  return result;
}

Tensor sum_to(const Tensor& gradient, const Shape& shape) {
  if (gradient.shape() == shape) return gradient;
  const std::size_t shift = gradient.rank() - shape.rank();
  std::vector<std::int64_t> axes;
  for (std::size_t axis = 0; axis < gradient.rank(); ++axis) {
    if (axis < shift || (shape[axis - shift] == 1 && gradient.shape()[axis] != 1)) {
      axes.push_back(static_cast<std::int64_t>(axis));
    }
  }
  const Tensor summed = axes.empty() ? gradient : sum(gradient, axes, true);
  return summed.reshape(shape);
}

}  // namespace detail
}  // namespace backplane
