// One case of the ONNX node suite: an operator, what it is given, and what it must give.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "backplane/tensor.hpp"

namespace onnx_nodes {

// A case that asks for what the library doesn't have; what() says which.
class PassedOver : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Attribute {
  std::int64_t integer = 0;
  float real = 0;
  std::string text;
  std::vector<std::int64_t> integers;
};

// Remembers what was asked of it: a result that left an attribute or an input aside proves nothing.
class Node {
 public:
  Node(std::string operation, std::map<std::string, Attribute> attributes,
       std::vector<backplane::Tensor> inputs, std::size_t outputs, backplane::Device device);

  [[nodiscard]] const std::string& operation() const { return operation_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] backplane::Device device() const { return device_; }

  // Attributes; the fallback is ONNX's default.
  [[nodiscard]] bool has(const std::string& name) const { return attributes_.contains(name); }
  std::int64_t integer(const std::string& name, std::int64_t fallback);
  float real(const std::string& name, float fallback);
  std::string text(const std::string& name, const std::string& fallback);
  std::vector<std::int64_t> integers(const std::string& name,
                                     std::vector<std::int64_t> fallback = {});

  [[nodiscard]] bool has_input(std::size_t index) const;
  backplane::Tensor input(std::size_t index);  // on the device; undefined where it is left out
  std::vector<std::int64_t> input_integers(std::size_t index);
  std::vector<double> input_numbers(std::size_t index);
  double input_number(std::size_t index) { return input_numbers(index).at(0); }

  // Names of attributes and inputs that nobody asked for.
  [[nodiscard]] std::string unread() const;

 private:
  const Attribute* attribute(const std::string& name);

  std::string operation_;
  std::map<std::string, Attribute> attributes_;
  std::vector<backplane::Tensor> inputs_;  // on the host
  std::size_t outputs_;
  backplane::Device device_;
  std::set<std::string> read_attributes_;
  std::set<std::size_t> read_inputs_;
};

struct Case {
  Node node;
  std::vector<backplane::Tensor> expected;  // undefined where the model leaves an output out
};

// From a folder with model.onnx and test_data_set_0. PassedOver for a graph of several nodes and
// for values that no tensor of ours holds.
[[nodiscard]] Case read_case(const std::filesystem::path& folder, backplane::Device device);

constexpr int bool_type = 9;  // of TensorProto; truth values are u8 here
// The library's type for a number of TensorProto.DataType.
[[nodiscard]] backplane::DType element_type(std::int64_t type);

}  // namespace onnx_nodes
