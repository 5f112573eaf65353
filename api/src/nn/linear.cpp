// Linear as a layer.
#include "backplane/nn/linear.hpp"

#include "backplane/functional.hpp"
#include "check.hpp"
#include "nn/initial.hpp"

namespace backplane {

Linear::Linear(std::int64_t in_features, std::int64_t out_features, const Options& options) {
  if (in_features < 1 || out_features < 1) {
    detail::reject("Linear: feature counts must be positive, got in {} and out {}", in_features,
                   out_features);
  }
  weight_ = detail::initial_parameter({out_features, in_features}, in_features);
  if (options.bias) bias_ = detail::initial_parameter({out_features}, in_features);
}

Tensor Linear::forward(const Tensor& x) {
  return linear(x, weight_, bias_);
}

void Linear::visit(Visitor& visitor) {
  visitor.parameter("weight", weight_);
  visitor.parameter("bias", bias_);
}

}  // namespace backplane
