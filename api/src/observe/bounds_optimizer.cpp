// Error bounds of the optimizer steps, propagated through their formulas (see ops.hpp).
#include <algorithm>
#include <cmath>

#include "observe/bounds.hpp"
#include "observe/values.hpp"

namespace backplane::detail {

namespace {

template <class Op>
typename Op::Scalars scalars_of(const Operation& operation) {
  typename Op::Scalars scalars;
  std::memcpy(&scalars, operation.scalars().data(), sizeof scalars);
  return scalars;
}

using Values = std::vector<double>;

}  // namespace

// With G = |g| + |weight_decay p| and M = |momentum m| + |1 - dampening| G, the new momentum errs
// by at most 6 u M, and the parameter by the roundings of its step besides those of p itself.
Bounds sgd_step_bounds(const BoundRequest& request) {
  const op::SgdStep& sgd = *request.operation.as<op::SgdStep>();
  const auto s = scalars_of<op::SgdStep>(request.operation);
  const std::size_t count = sgd.count;
  Bounds bounds(request.expected.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Precision p = precision_of(request.expected[i].dtype());
    const Values parameter = as_doubles(request.inputs[i]);
    const Values gradient = as_doubles(request.inputs[count + i]);
    const Values previous =
        sgd.momentum ? as_doubles(request.inputs[2 * count + i]) : Values(parameter.size());
    for (std::size_t k = 0; k < parameter.size(); ++k) {
      const double g = std::abs(gradient[k]) + std::abs(s.weight_decay * parameter[k]);
      double step = g;
      if (sgd.momentum) {
        const double m =
            s.first ? g : std::abs(s.momentum * previous[k]) + std::abs(1.0 - s.dampening) * g;
        step = sgd.nesterov ? g + std::abs(s.momentum) * m : m;
        bounds[count + i].push_back((6 * p.unit + 2 * p.store) * m + p.tiny);
      }
      bounds[i].push_back((3 * p.unit + 2 * p.store) * std::abs(parameter[k]) +
                          12 * p.unit * std::abs(s.rate) * step + p.tiny);
    }
  }
  return bounds;
}

namespace {

// One element of an Adam step: what its three outputs may err by.
struct AdamError {
  double parameter, first, second;
};

AdamError adam_error(const op::AdamStep::Scalars& s, bool decoupled, const Precision& p, double w,
                     double gradient, double m, double v) {
  const double decay = decoupled ? 0 : std::abs(s.weight_decay * w);
  const double g = std::abs(gradient) + decay;
  const double exact_g = gradient + (decoupled ? 0 : double{s.weight_decay} * w);
  const double m_size = std::abs(s.beta1 * m) + std::abs(1.0 - s.beta1) * g;
  const double v_size = std::abs(s.beta2 * v) + std::abs(1.0 - s.beta2) * g * g;
  const double m_new = s.beta1 * m + (1.0 - s.beta1) * exact_g;
  const double v_new = s.beta2 * v + (1.0 - s.beta2) * exact_g * exact_g;
  const double m_error = 6 * p.unit * m_size + p.tiny, v_error = 8 * p.unit * v_size + p.tiny;

  // The denominator moves with v; the difference of the two quotients bounds the rest.
  const double scale = std::abs(s.rate / double{s.correction1});
  const double denominator = std::sqrt(v_new / s.correction2) + s.epsilon;
  const double smallest = std::sqrt(std::max(0.0, v_new - v_error) / s.correction2) + s.epsilon;
  const double step = scale * std::abs(m_new) / denominator;
  const double step_error = scale * (std::abs(m_new) + m_error) / smallest - step;
  return {3 * p.unit * std::abs(w) + step_error + 8 * p.unit * step + p.tiny, m_error, v_error};
}

}  // namespace

Bounds adam_step_bounds(const BoundRequest& request) {
  const op::AdamStep& adam = *request.operation.as<op::AdamStep>();
  const auto s = scalars_of<op::AdamStep>(request.operation);
  const std::size_t count = adam.count;
  Bounds bounds(request.expected.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Precision p = precision_of(request.expected[i].dtype());
    Values inputs[4];
    for (std::size_t list = 0; list < 4; ++list) {
      inputs[list] = as_doubles(request.inputs[list * count + i]);
    }
    for (std::size_t k = 0; k < inputs[0].size(); ++k) {
      const AdamError error = adam_error(s, adam.decoupled != 0, p, inputs[0][k], inputs[1][k],
                                         inputs[2][k], inputs[3][k]);
      bounds[i].push_back(error.parameter + 2 * p.store * std::abs(inputs[0][k]));
      bounds[count + i].push_back(error.first);
      bounds[2 * count + i].push_back(error.second);
    }
  }
  return bounds;
}

namespace {

// One element of an RMSprop step: what its outputs may err by.
struct RmspropError {
  double parameter, second, first, momentum;
};

// With G = |g| + |weight_decay p|, the second moment and the first err by the roundings of their
// two terms, and their difference by both, however small it is.
RmspropError rmsprop_error(const op::RmspropStep::Scalars& s, const op::RmspropStep& op,
                           const Precision& p, double w, double gradient, double v, double a,
                           double m) {
  const double size = std::abs(gradient) + std::abs(s.weight_decay * w);
  const double g = gradient + double{s.weight_decay} * w, fresh = 1.0 - s.alpha;
  const double v_new = s.alpha * v + fresh * g * g, a_new = s.alpha * a + fresh * g;
  const double v_error = 8 * p.unit * (std::abs(s.alpha * v) + fresh * size * size) + p.tiny;
  const double a_error = 6 * p.unit * (std::abs(s.alpha * a) + fresh * size) + p.tiny;
  const double a_size = op.centered != 0 ? std::abs(a_new) + a_error : 0;
  const double variance = v_new - (op.centered != 0 ? a_new * a_new : 0);
  const double variance_error = v_error + 3 * a_size * (a_error + p.unit * a_size);
  const double least = std::sqrt(std::max(0.0, variance - variance_error)) + s.epsilon;
  const double direction = std::abs(g) / (std::sqrt(std::max(0.0, variance)) + s.epsilon);
  const double direction_error =
      (std::abs(g) + 4 * p.unit * size) / least - direction + 10 * p.unit * direction;
  const double kept = op.momentum != 0 ? std::abs(s.momentum * m) : 0;
  const double m_error = direction_error + 4 * p.unit * (kept + direction) + p.tiny;
  const double step_error = std::abs(s.rate) * (m_error + 3 * p.unit * (kept + direction));
  return {3 * p.unit * std::abs(w) + step_error + p.tiny, v_error, a_error, m_error};
}

}  // namespace

Bounds rmsprop_step_bounds(const BoundRequest& request) {
  const op::RmspropStep& rmsprop = *request.operation.as<op::RmspropStep>();
  const auto s = scalars_of<op::RmspropStep>(request.operation);
  const std::size_t count = rmsprop.count;
  const std::size_t centered = rmsprop.centered != 0 ? 1 : 0;
  Bounds bounds(request.expected.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Precision p = precision_of(request.expected[i].dtype());
    const auto list = [&](std::size_t number) {
      return as_doubles(request.inputs[number * count + i]);
    };
    const Values w = list(0), g = list(1), v = list(2);
    const Values a = centered != 0 ? list(3) : Values(w.size());
    const Values m = rmsprop.momentum != 0 ? list(3 + centered) : Values(w.size());
    for (std::size_t k = 0; k < w.size(); ++k) {
      const RmspropError error = rmsprop_error(s, rmsprop, p, w[k], g[k], v[k], a[k], m[k]);
      bounds[i].push_back(error.parameter + 2 * p.store * std::abs(w[k]));
      bounds[count + i].push_back(error.second);
      if (centered != 0) bounds[2 * count + i].push_back(error.first);
      if (rmsprop.momentum != 0) bounds[(2 + centered) * count + i].push_back(error.momentum);
    }
  }
  return bounds;
}

// A sum of squares, of one sign, whose error the root halves.
Bounds gradient_norm_bounds(const BoundRequest& request) {
  double terms = 0;
  for (const Tensor& tensor : request.inputs) terms += static_cast<double>(tensor.count());
  return relative(request, growth(terms) + elementary);
}

// One quotient, and one product for each element.
Bounds clip_by_norm_bounds(const BoundRequest& request) {
  return relative(request, 8);
}

}  // namespace backplane::detail
