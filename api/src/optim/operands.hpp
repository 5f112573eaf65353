// The operands of a multi-tensor step, one list after another.
#pragma once

#include <vector>

#include "backplane/tensor.hpp"

namespace backplane::detail {

inline void append(std::vector<Tensor>& operands, const std::vector<Tensor>& list) {
  operands.insert(operands.end(), list.begin(), list.end());
}

// The members' state beside their parameters: zeros where there is none yet.
inline void append_state(std::vector<Tensor>& operands, std::vector<Tensor>& state,
                         const std::vector<std::size_t>& members,
                         const std::vector<Tensor>& parameters) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    Tensor& own = state[members[i]];
    if (!own.defined()) {
      own = zeros(parameters[i].shape(),
                  {.dtype = parameters[i].dtype(), .device = parameters[i].device()});
    }
    own = own.to(parameters[i].device());
    operands.push_back(own);
  }
}

}  // namespace backplane::detail
