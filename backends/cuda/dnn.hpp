// Convolutions by cuDNN, which is opened by name when a program asks for it.
#pragma once

#include <memory>

#include "backplane/plugin/backend.hpp"

namespace backplane::cuda {

class Convolutions {
 public:
  virtual ~Convolutions() = default;
  // Null if cuDNN doesn't take such tensors or such padding; the request still serves another plan.
  [[nodiscard]] virtual std::unique_ptr<plugin::Plan> plan(const op::Conv2d&,
                                                           plugin::Request&) const = 0;
  [[nodiscard]] virtual std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardData&,
                                                           plugin::Request&) const = 0;
  [[nodiscard]] virtual std::unique_ptr<plugin::Plan> plan(const op::Conv2dBackwardWeight&,
                                                           plugin::Request&) const = 0;
};

// On that card. Unsupported, with the reason, where the library isn't found, is of another version,
// or was unknown when this plug-in was built.
[[nodiscard]] std::shared_ptr<const Convolutions> open_dnn(int ordinal);

}  // namespace backplane::cuda
