// What all classifiers of MNIST have in common: data, loss and optimizer.
#pragma once

#include <functional>

#include "models/model.hpp"

namespace backplane::models {

// A model of x[N,1,28,28] -> logits[N,10] with MNIST, or data of its format; cross entropy; Adam at
// 1e-3.
[[nodiscard]] Model mnist_classifier(std::string_view name,
                                     std::function<std::unique_ptr<Layer>()> make);

}  // namespace backplane::models
