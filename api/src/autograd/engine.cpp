// Plays the graph back: each node once, when all gradients of its result have arrived.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "autograd/node.hpp"
#include "autograd/record.hpp"
#include "backplane/autocast.hpp"
#include "backplane/autograd.hpp"
#include "backplane/functional.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "dispatch/dispatch.hpp"
#include "stream/stream_state.hpp"

namespace backplane {
namespace detail {

const char*& backward_of() noexcept {
  thread_local const char* name = nullptr;
  return name;
}

namespace {

// Says of what this thread computes the gradient, while it lives.
class Playing {
 public:
  explicit Playing(const char* name) : before_(std::exchange(backward_of(), name)) {}
  ~Playing() { backward_of() = before_; }
  Playing(const Playing&) = delete;
  Playing& operator=(const Playing&) = delete;

 private:
  const char* before_;
};

// A gradient that is still growing, and the streams that have work on it.
struct Pending {
  std::shared_ptr<Node> node;
  Tensor gradient;
  std::shared_ptr<StreamState> stream;  // that produced it last
  int missing = 0;                      // users of the result that have not reported yet
};

class Engine {
 public:
  explicit Engine(const BackwardOptions& options) : options_(options) {}

  void run(const std::shared_ptr<Node>& root, const Tensor& gradient) {
    count_users(root);
    arrive(root, gradient);
    while (!ready_.empty()) {
      std::pop_heap(ready_.begin(), ready_.end(), earlier);
      const std::shared_ptr<Node> node = std::move(ready_.back());
      ready_.pop_back();
      play(node);
    }
    join_streams();
  }

 private:
  // The latest operation first: the order of recording, reversed.
  static bool earlier(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) {
    return a->number < b->number;
  }

  void count_users(const std::shared_ptr<Node>& root) {
    std::vector<std::shared_ptr<Node>> open{root};
    pending_[root.get()] = {root, {}, {}, 1};
    while (!open.empty()) {
      const std::shared_ptr<Node> node = std::move(open.back());
      open.pop_back();
      if (!node->function) {
        reject("backward: the graph of {} was already released; pass retain_graph to the first pass",
               node->name);
      }
      for (const Edge& edge : node->edges) {
        if (edge.node == nullptr) continue;
        const auto [place, fresh] = pending_.try_emplace(edge.node.get());
        if (fresh) {
          place->second.node = edge.node;
          open.push_back(edge.node);
        }
        ++place->second.missing;
      }
    }
  }

  // Work of the current stream waits for what another stream did.
  static void follow(const std::shared_ptr<StreamState>& producer) {
    if (producer == nullptr) return;
    const Device device(&producer->device);
    const Stream here = Stream::current(device);
    if (here.state() == producer) return;
    Event event(device);
    event.record(Stream(producer));
    here.wait(event);
  }

  void arrive(const std::shared_ptr<Node>& node, const Tensor& gradient) {
    Pending& pending = pending_.at(node.get());
    if (gradient.defined()) {
      DeviceState& device = gradient.impl()->device();
      if (!pending.gradient.defined()) {
        pending.gradient = gradient;
      } else {
        follow(pending.stream);
        pending.gradient = add(pending.gradient, gradient);
      }
      if (device.backend != nullptr) pending.stream = current_stream(device);
    }
    if (--pending.missing == 0) {
      ready_.push_back(node);
      std::push_heap(ready_.begin(), ready_.end(), earlier);
    }
  }

  void play(const std::shared_ptr<Node>& node) {
    Pending pending = std::move(pending_.at(node.get()));
    pending_.erase(node.get());
    std::optional<StreamGuard> on_stream;
    if (node->stream != nullptr) on_stream.emplace(Stream(node->stream));
    std::vector<Tensor> gradients(node->edges.size());
    if (pending.gradient.defined()) {
      follow(pending.stream);
      const Playing playing(node->name);
      const AutocastGuard as_forward(node->autocast);
      gradients = node->function({pending.gradient, node->edges});
    }
    pending.gradient = {};  // what flows on has one holder less
    if (!options_.retain_graph) node->function = nullptr;
    if (node->stream != nullptr) touched_.insert(node->stream);
    for (std::size_t i = 0; i < node->edges.size(); ++i) {
      const Edge& edge = node->edges[i];
      if (edge.leaf != nullptr && gradients[i].defined()) accumulate(*edge.leaf, gradients[i]);
      if (edge.node != nullptr) arrive(edge.node, gradients[i]);
    }
  }

  // A user's gradient is row-major, and memory of its own: the next one is added to it in place, so
  // nobody else may hold it, neither the tensor nor another view of its memory.
  void accumulate(TensorImpl& leaf, const Tensor& gradient) {
    DeviceState& device = gradient.impl()->device();
    if (device.backend != nullptr) {
      follow(std::exchange(leaf_streams_[&leaf], current_stream(device)));
    }
    if (leaf.grad != nullptr) {
      const Tensor sum(leaf.grad);
      run_in_place(Operation(op::Add{}), std::array{sum, gradient}, std::array{sum});
      return;
    }
    const bool own = gradient.impl().use_count() == 1 &&
                     gradient.impl()->storage.use_count() == 1 && gradient.is_contiguous();
    leaf.grad = (own ? gradient.detach() : gradient.detach().clone()).impl();
  }

  // What follows on the caller's stream sees all gradients.
  void join_streams() {
    for (const auto& stream : touched_) follow(stream);
  }

  const BackwardOptions& options_;
  std::unordered_map<const Node*, Pending> pending_;
  std::vector<std::shared_ptr<Node>> ready_;  // a heap
  std::unordered_set<std::shared_ptr<StreamState>> touched_;
  std::unordered_map<const TensorImpl*, std::shared_ptr<StreamState>> leaf_streams_;
};

Tensor first_gradient(const Tensor& root, const Tensor& gradient) {
  if (!gradient.defined()) {
    if (root.count() != 1) {
      reject("backward: a root of more than one element needs a gradient, root is {}; reduce it to "
             "a scalar, or pass one",
             describe(root));
    }
    return ones(root.shape(), {.dtype = root.dtype(), .device = root.device()});
  }
  if (gradient.shape() != root.shape() || gradient.dtype() != root.dtype() ||
      gradient.device() != root.device()) {
    reject("backward: the gradient has the root's type, shape and device: {} on {}, given {} on {}",
           describe(root), root.device().name(), describe(gradient), gradient.device().name());
  }
  return gradient.detach();
}

}  // namespace
}  // namespace detail

void backward(const Tensor& root, const Tensor& gradient, const BackwardOptions& options) {
  const detail::TensorImpl& impl = detail::get(root, "backward");
  if (options.create_graph) {
    detail::fail(ErrorCode::unsupported,
                 "backward: gradients of gradients aren't recorded; leave create_graph unset");
  }
  if (!impl.differentiable()) {
    detail::reject("backward: {} depends on no tensor that requires a gradient; set_requires_grad "
                   "on the leaves before the forward pass",
                   detail::describe(root));
  }
  const NoGradGuard no_grad;
  const Tensor start = detail::first_gradient(root, gradient);
  if (impl.node == nullptr) {  // a leaf is its own gradient's end
    const Tensor copy = start.clone();
    root.impl()->grad = impl.grad == nullptr ? copy.impl() : add(root.grad(), copy).impl();
    return;
  }
  detail::Engine(options).run(impl.node, start);
}

}  // namespace backplane
