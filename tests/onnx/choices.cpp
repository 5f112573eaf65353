// The differences that plugin/rules.md states, case by case.
#include "choices.hpp"

#include <map>

namespace onnx_nodes {

std::string_view choice(std::string_view name) {
  static const std::map<std::string_view, std::string_view> choices{};
  const auto found = choices.find(name);
  return found == choices.end() ? std::string_view() : found->second;
}

}  // namespace onnx_nodes
