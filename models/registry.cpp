// The models there are, by name.
#include "models/registry.hpp"

#include <array>

#include "models/lenet/lenet5.hpp"
#include "models/linear/linear.hpp"
#include "models/mlp/mlp.hpp"
#include "models/mnist/cnn.hpp"
#include "models/resnet/resnet18.hpp"
#include "models/transformer/encoder.hpp"

namespace backplane::models {

std::span<const Model> all_models() {
  static const std::array all{mnist_cnn_model(), lenet5_model(),      mlp_model(),
                              resnet18_model(),  transformer_model(), linear_model()};
  return all;
}

const Model& find_model(std::string_view name) {
  std::string names;
  for (const Model& model : all_models()) {
    if (model.name == name) return model;
    names.append(names.empty() ? "" : ", ").append(model.name);
  }
  throw Error(ErrorCode::not_found,
              "models: no model '" + std::string(name) + "'; there are: " + names);
}

}  // namespace backplane::models
