// What an operator reads of its node.
#include "node.hpp"

#include <fmt/format.h>

#include <utility>

#include "values.hpp"

namespace onnx_nodes {

using backplane::Tensor;

Node::Node(std::string operation, std::map<std::string, Attribute> attributes,
           std::vector<Tensor> inputs, std::size_t outputs, backplane::Device device)
    : operation_(std::move(operation)),
      attributes_(std::move(attributes)),
      inputs_(std::move(inputs)),
      outputs_(outputs),
      device_(device) {}

const Attribute* Node::attribute(const std::string& name) {
  read_attributes_.insert(name);
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? nullptr : &found->second;
}

std::int64_t Node::integer(const std::string& name, std::int64_t fallback) {
  const Attribute* found = attribute(name);
  return found ? found->integer : fallback;
}

float Node::real(const std::string& name, float fallback) {
  const Attribute* found = attribute(name);
  return found ? found->real : fallback;
}

std::string Node::text(const std::string& name, const std::string& fallback) {
  const Attribute* found = attribute(name);
  return found ? found->text : fallback;
}

std::vector<std::int64_t> Node::integers(const std::string& name,
                                         std::vector<std::int64_t> fallback) {
  const Attribute* found = attribute(name);
  return found ? found->integers : fallback;
}

bool Node::has_input(std::size_t index) const {
  return index < inputs_.size() && inputs_[index].defined();
}

Tensor Node::input(std::size_t index) {
  read_inputs_.insert(index);
  return has_input(index) ? inputs_[index].to(device_) : Tensor();
}

std::vector<std::int64_t> Node::input_integers(std::size_t index) {
  read_inputs_.insert(index);
  return has_input(index) ? integer_values(inputs_[index]) : std::vector<std::int64_t>();
}

std::vector<double> Node::input_numbers(std::size_t index) {
  read_inputs_.insert(index);
  return has_input(index) ? real_values(inputs_[index]) : std::vector<double>();
}

std::string Node::unread() const {
  std::string names;
  for (const auto& [name, value] : attributes_) {
    if (!read_attributes_.contains(name)) names += fmt::format(" attribute {}", name);
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].defined() && !read_inputs_.contains(i)) names += fmt::format(" input {}", i);
  }
  return names;
}

}  // namespace onnx_nodes
