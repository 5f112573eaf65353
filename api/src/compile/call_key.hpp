// Under which conditions a call does what an earlier one did, as far as they can be told
// beforehand.
#pragma once

#include <algorithm>
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
struct CallMode {
  bool strict = numerics() == Numerics::strict;
  bool grad = grad_enabled();
  std::uint32_t threads = backplane::threads();
  std::optional<DType> autocast = backplane::autocast();
  friend bool operator==(const CallMode&, const CallMode&) = default;
};

struct CallKey {
  explicit CallKey(std::span<const Tensor> tensors) {
    for (const Tensor& tensor : tensors) arguments.push_back({spec_of(tensor), tensor.device()});
  }
  // Whether it is that of a call with these arguments, now. Takes no memory.
  [[nodiscard]] bool is_of(std::span<const Tensor> tensors) const {
    return mode == CallMode() &&
           std::ranges::equal(arguments, tensors, [](const ArgumentSpec& one, const Tensor& other) {
             return one == ArgumentSpec{spec_of(other), other.device()};
           });
  }

  std::vector<ArgumentSpec> arguments;
  CallMode mode;
};

}  // namespace backplane::detail
