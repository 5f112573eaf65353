// What every layer can do, told through its visit().
#include "backplane/nn/layer.hpp"

#include <map>
#include <set>

#include "backplane/autograd.hpp"
#include "nn/layer_watch.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {

namespace {

// Walks through a layer and its children, and shows each parameter and buffer with its path.
template <class Show>
class Walk final : public Visitor {
 public:
  explicit Walk(Show show) : show_(std::move(show)) {}

  void parameter(std::string_view name, Tensor& tensor) override {
    if (tensor.defined()) show_(path_ + std::string(name), tensor, true);
  }
  void buffer(std::string_view name, Tensor& tensor) override {
    if (tensor.defined()) show_(path_ + std::string(name), tensor, false);
  }
  void child(std::string_view name, Layer& layer) override {
    const std::size_t length = path_.size();
    path_.append(name).append(".");
    layer.visit(*this);
    path_.resize(length);
  }

 private:
  Show show_;
  std::string path_;
};

// Calls show(path, tensor, whether it is a parameter). `visit` hands out references, so it isn't
// const; a caller with a const layer only reads them.
template <class Show>
void each_tensor(const Layer& layer, Show show) {
  Walk<Show> walk(std::move(show));
  const_cast<Layer&>(layer).visit(walk);
}

// Each tensor once, under the first path that leads to it.
std::vector<NamedTensor> named(const Layer& layer, bool buffers_too) {
  std::vector<NamedTensor> all;
  std::set<const detail::TensorImpl*> seen;
  each_tensor(layer, [&](const std::string& name, const Tensor& tensor, bool is_parameter) {
    if (!is_parameter && !buffers_too) return;
    if (seen.insert(tensor.impl().get()).second) all.push_back({name, tensor});
  });
  return all;
}

}  // namespace

namespace detail {

const LayerWatch*& layer_watch() noexcept {
  thread_local const LayerWatch* watch = nullptr;
  return watch;
}

}  // namespace detail

Tensor Layer::operator()(const Tensor& x) {
  Tensor y = forward(x);
  if (const detail::LayerWatch* watch = detail::layer_watch()) (*watch)(*this, y);
  return y;
}

std::unique_ptr<Layer> Layer::clone() const {
  std::unique_ptr<Layer> own = copy();
  std::map<std::shared_ptr<detail::TensorImpl>, Tensor> cloned;  // shared ones stay shared
  const NoGradGuard no_graph;
  each_tensor(*own, [&](const std::string&, Tensor& tensor, bool) {
    Tensor& twin = cloned[tensor.impl()];
    if (!twin.defined()) twin = tensor.clone().set_requires_grad(tensor.requires_grad());
    tensor = twin;
  });
  return own;
}

void Layer::train(bool mode) {
  struct SetMode final : Visitor {
    explicit SetMode(bool m) : mode(m) {}
    void child(std::string_view, Layer& layer) override { layer.train(mode); }
    bool mode;
  };
  training_ = mode;
  SetMode children(mode);
  visit(children);
}

EvalGuard::EvalGuard(Layer& layer) {
  struct NoteMode final : Visitor {
    explicit NoteMode(std::vector<std::pair<Layer*, bool>>& m) : modes(m) {}
    void child(std::string_view, Layer& layer) override {
      modes.emplace_back(&layer, layer.training());
      layer.visit(*this);
    }
    std::vector<std::pair<Layer*, bool>>& modes;
  };
  NoteMode(modes_).child("", layer);
  layer.eval();
}

EvalGuard::~EvalGuard() {
  for (const auto& [layer, training] : modes_) layer->train(training);
}

std::vector<NamedTensor> Layer::named_parameters() const {
  return named(*this, false);
}

std::vector<NamedTensor> Layer::named_state() const {
  return named(*this, true);
}

std::vector<Tensor> Layer::parameters() const {
  std::vector<Tensor> all;
  for (NamedTensor& parameter : named_parameters()) all.push_back(std::move(parameter.tensor));
  return all;
}

std::int64_t Layer::parameter_count() const {
  std::int64_t count = 0;
  for (const Tensor& parameter : parameters()) count += parameter.count();
  return count;
}

void Layer::to(Device device) {
  const NoGradGuard no_graph;
  for (const auto& [name, tensor] : named_state()) {
    if (tensor.device() == device) continue;
    detail::TensorImpl& impl = *tensor.impl();
    const Tensor moved = tensor.detach().copy_to(device);
    if (impl.grad != nullptr) impl.grad = tensor.grad().copy_to(device).impl();
    impl.storage = moved.impl()->storage;
    impl.strides = moved.impl()->strides;
    impl.offset = moved.impl()->offset;
    impl.layout = moved.impl()->layout;
  }
}

void Layer::zero_grad() {
  for (Tensor& parameter : parameters()) parameter.set_grad({});
}

}  // namespace backplane
