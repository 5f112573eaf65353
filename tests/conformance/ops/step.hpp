// The tensors of an optimizer's step: lists of as many tensors as there are parameters.
#pragma once

#include <string>
#include <vector>

#include "case.hpp"

namespace conformance {

// Sets inputs, outputs and aliases: list i of `lists` has the content of lists[i]; list 1 are the
// gradients, which stay as they are, all others are updated where they lie.
inline void set_step_tensors(Row& row, const std::vector<Shape>& parameters,
                             const std::vector<Argument>& lists) {
  for (std::size_t list = 0; list < lists.size(); ++list) {
    for (const Shape& shape : parameters) {
      Argument argument = lists[list];
      argument.shape = shape;
      if (list != 1) {
        row.aliases.push_back(row.inputs.size());
        row.outputs.push_back(argument);
      }
      row.inputs.push_back(argument);
    }
  }
  row.always_in_place = true;
}

inline std::string parameters_text(const std::vector<Shape>& parameters) {
  std::string text;
  for (const Shape& shape : parameters) {
    if (!text.empty()) text += ' ';
    text += dims_text(shape);
  }
  return text;
}

inline const std::vector<std::vector<Shape>> parameter_lists{
    {{1}}, {{31}, {32}, {33}}, {{}, {3, 5}, {0}, {2, 3, 4, 5}}, {{20001}, {7}}};

}  // namespace conformance
