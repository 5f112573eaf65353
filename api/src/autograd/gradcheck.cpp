// Gradients against central differences.
#include "backplane/gradcheck.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "backplane/autograd.hpp"
#include "backplane/device.hpp"
#include "backplane/functional.hpp"
#include "check.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace {

// A tensor whose gradient is checked; `call` reads it through the same handle.
struct Variable {
  std::string name;  // as in "input 0", or "weight"
  Tensor tensor;     // f64 on the reference, a leaf
};

using Call = std::function<Tensor()>;

// A copy on the reference, floating types in f64.
Tensor in_double(const Tensor& tensor) {
  const NoGradGuard no_grad;
  detail::get(tensor, "gradcheck");
  const Tensor copy = tensor.detach().copy_to(device("reference:0"));
  return is_floating(copy.dtype()) ? cast(copy, DType::f64) : copy;
}

// Weights that are neither equal nor 0, so that no error of one element hides another's.
Tensor weights_like(const Tensor& y) {
  std::vector<double> weights(static_cast<std::size_t>(y.count()));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = 1 + 0.5 * std::sin(1.7 * static_cast<double>(i));
  }
  return tensor(weights, y.shape(), {.dtype = y.dtype(), .device = y.device()});
}

class Check {
 public:
  Check(const Call& call, std::vector<Variable> variables, const GradcheckOptions& options)
      : call_(call), variables_(std::move(variables)), options_(options) {}

  GradcheckResult run() {
    if (!(options_.step > 0))
      detail::reject("gradcheck: step must be above 0, got {}", options_.step);
    const Tensor y = call_();
    if (!is_floating(detail::get(y, "gradcheck").dtype)) {
      detail::reject("gradcheck: the result must be floating, got {}", detail::describe(y));
    }
    weights_ = weights_like(y);
    const double before = value(), again = value();
    if (before != again) {
      result_.failure = fmt::format(
          "gradcheck: two calls with the same inputs gave {} and {}; the function must give the "
          "same "
          "each time, and no NaN",
          before, again);
      return result_;
    }
    if (y.requires_grad()) backward(sum(y * weights_));
    for (const Variable& variable : variables_) {
      if (result_.failure.empty()) check(variable);
    }
    return result_;
  }

 private:
  double value() const {
    const NoGradGuard no_grad;
    return sum(call_() * weights_).item<double>();
  }

  // The function with one element moved; the element goes back.
  double moved(const Variable& variable, std::vector<double>& elements, std::size_t i,
               double by) const {
    const double here = elements[i];
    const auto write = [&] {
      const NoGradGuard no_grad;
      Tensor target = variable.tensor.detach();
      target.copy_from(tensor(elements, target.shape(), {.dtype = DType::f64}));
    };
    elements[i] = here + by;
    write();
    const double result = value();
    elements[i] = here;
    write();
    return result;
  }

  void check(const Variable& variable) {
    std::vector<double> elements = variable.tensor.to_vector<double>();
    const Tensor grad = variable.tensor.grad();
    const std::vector<double> gradient =
        grad.defined() ? grad.to_vector<double>() : std::vector<double>(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double slope = (moved(variable, elements, i, options_.step) -
                            moved(variable, elements, i, -options_.step)) /
                           (2 * options_.step);
      const double allowed =
          options_.absolute + options_.relative * std::max(std::abs(slope), std::abs(gradient[i]));
      ++result_.compared;
      if (std::abs(gradient[i] - slope) <= allowed) continue;  // false of a NaN
      result_.failure = fmt::format(
          "gradcheck: {}, element {} of {}: {} where differences say {}", variable.name, i,
          to_string(variable.tensor.shape()),
          grad.defined() ? fmt::format("backward gives {}", gradient[i]) : "there is no gradient",
          slope);
      return;
    }
  }

  const Call& call_;
  std::vector<Variable> variables_;
  GradcheckOptions options_;
  Tensor weights_;
  GradcheckResult result_;
};

}  // namespace

GradcheckResult gradcheck(const std::function<Tensor(std::span<const Tensor>)>& function,
                          std::span<const Tensor> inputs, const GradcheckOptions& options) {
  std::vector<Tensor> copies;
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor copy = in_double(inputs[i]);
    if (is_floating(copy.dtype())) {
      copy.set_requires_grad();
      variables.push_back({fmt::format("input {}", i), copy});
    }
    copies.push_back(copy);
  }
  const Call call = [&] { return function(copies); };
  return Check(call, std::move(variables), options).run();
}

GradcheckResult gradcheck(const Layer& layer, const Tensor& x, const GradcheckOptions& options) {
  // Replaces each parameter of the copy; one that is shared stays shared.
  struct Replace final : Visitor {
    void parameter(std::string_view, Tensor& tensor) override {
      if (!tensor.defined()) return;
      Tensor& twin = twins[tensor.impl()];
      if (!twin.defined()) twin = in_double(tensor).set_requires_grad(tensor.requires_grad());
      tensor = twin;
    }
    void child(std::string_view, Layer& child) override { child.visit(*this); }
    std::map<std::shared_ptr<detail::TensorImpl>, Tensor> twins;
  } replace;
  const std::unique_ptr<Layer> copy = layer.copy();
  copy->visit(replace);

  Tensor input = in_double(x);
  std::vector<Variable> variables;
  if (is_floating(input.dtype())) variables.push_back({"x", input.set_requires_grad()});
  for (const auto& [name, parameter] : copy->named_parameters()) {
    if (parameter.requires_grad()) variables.push_back({name, parameter});
  }
  const Call call = [&] { return (*copy)(input); };
  return Check(call, std::move(variables), options).run();
}

}  // namespace backplane
