// Layer: maps a tensor to a tensor and owns the parameters and buffers it does that with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backplane/tensor.hpp"

namespace backplane {

class Layer;

// Is shown what a layer consists of: its own parameters, buffers and children, each by name. A
// buffer is state that no optimizer steps, such as running statistics.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void parameter(std::string_view /*name*/, Tensor& /*tensor*/) {}
  virtual void buffer(std::string_view /*name*/, Tensor& /*tensor*/) {}
  virtual void child(std::string_view /*name*/, Layer& /*layer*/) {}
};

struct NamedTensor {
  std::string name;  // the path to it, as in "0.weight"
  Tensor tensor;
};

// Write a layer by deriving from LayerOf<Itself> (below), with `forward` and, if it has parameters,
// buffers or children, `visit`: there is no registration, so layers move freely.
//
// Copying a layer copies handles, as copying a tensor does: both share their parameters and
// buffers. clone() gives the copy its own. A tensor that is reached twice counts once.
class Layer {
 public:
  virtual ~Layer() = default;

  [[nodiscard]] virtual Tensor forward(const Tensor& x) = 0;
  // forward(), seen by those who watch layers (summary.hpp): call children this way.
  [[nodiscard]] Tensor operator()(const Tensor& x);
  // Shows everything to the visitor, always in the same order. Tensors that are undefined (a bias
  // that was switched off) may be shown; all readers pass over them.
  virtual void visit(Visitor& /*visitor*/) {}
  // A layer that shares this one's parameters and buffers. LayerOf writes it.
  [[nodiscard]] virtual std::unique_ptr<Layer> copy() const = 0;
  // A layer with parameters and buffers of its own, equal to this one's; gradients are not copied.
  [[nodiscard]] std::unique_ptr<Layer> clone() const;

  // Dropout and its kind act while training; a new layer is training.
  void train(bool mode = true);
  void eval() { train(false); }
  [[nodiscard]] bool training() const noexcept { return training_; }

  [[nodiscard]] std::vector<Tensor> parameters() const;
  [[nodiscard]] std::vector<NamedTensor> named_parameters() const;
  // Parameters and buffers, in the order of visit: all that a checkpoint must hold.
  [[nodiscard]] std::vector<NamedTensor> named_state() const;
  [[nodiscard]] std::int64_t parameter_count() const;  // elements of all parameters
  // Moves parameters, their gradients and buffers to a device. Handles on one, an optimizer's among
  // them, follow; views and graphs that were made of it stay behind.
  void to(Device device);
  void zero_grad();  // gradients become undefined

 protected:
  Layer() = default;
  Layer(const Layer&) = default;
  Layer(Layer&&) = default;
  Layer& operator=(const Layer&) = default;
  Layer& operator=(Layer&&) = default;

 private:
  bool training_ = true;
};

// In eval mode while it lives; then each layer has the mode it had.
class EvalGuard {
 public:
  explicit EvalGuard(Layer& layer);
  ~EvalGuard();
  EvalGuard(const EvalGuard&) = delete;
  EvalGuard& operator=(const EvalGuard&) = delete;

 private:
  std::vector<std::pair<Layer*, bool>> modes_;  // parents before their children
};

template <class Derived>
class LayerOf : public Layer {
 public:
  [[nodiscard]] std::unique_ptr<Layer> copy() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  [[nodiscard]] std::unique_ptr<Derived> clone() const {
    return std::unique_ptr<Derived>(static_cast<Derived*>(Layer::clone().release()));
  }
};

}  // namespace backplane
