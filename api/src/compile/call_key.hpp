// Under which conditions a call does what an earlier one did, as far as they can be told
// beforehand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backplane/autocast.hpp"
#include "backplane/autograd.hpp"
#include "backplane/plan.hpp"

namespace backplane::detail {

struct ArgumentSpec {
  TensorSpec spec;
  Device device;
  friend bool operator==(const ArgumentSpec&, const ArgumentSpec&) = default;
};

// Of this thread, now.
struct CallKey {
  explicit CallKey(std::span<const Tensor> tensors) {
    for (const Tensor& tensor : tensors) arguments.push_back({spec_of(tensor), tensor.device()});
  }
  std::vector<ArgumentSpec> arguments;
  bool strict = numerics() == Numerics::strict;
  bool grad = grad_enabled();
  std::uint32_t threads = backplane::threads();
  std::optional<DType> autocast = backplane::autocast();
  friend bool operator==(const CallKey&, const CallKey&) = default;
};

}  // namespace backplane::detail
