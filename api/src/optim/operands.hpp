// The operands of a multi-tensor step, one list after another, and groups taken apart.
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

// Groups with the options of one optimizer, as the base class takes them, and their options alone.
template <class Group, class ParameterGroup>
[[nodiscard]] std::vector<Group> plain_groups(const std::vector<ParameterGroup>& groups) {
  std::vector<Group> plain;
  for (const ParameterGroup& group : groups) {
    plain.push_back({group.parameters, group.options.learning_rate});
  }
  return plain;
}
template <class Options, class ParameterGroup>
[[nodiscard]] std::vector<Options> options_of(const std::vector<ParameterGroup>& groups) {
  std::vector<Options> options;
  for (const ParameterGroup& group : groups) options.push_back(group.options);
  return options;
}

}  // namespace backplane::detail
