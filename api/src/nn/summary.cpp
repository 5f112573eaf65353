// A model's table: rows by visit(), outputs by watching one forward pass.
#include "backplane/nn/summary.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <typeinfo>
#include <utility>

#include "backplane/autograd.hpp"
#include "backplane/device.hpp"
#include "nn/layer_watch.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace {

// The class without its namespaces, as in "Conv2d".
std::string kind_of(const Layer& layer) {
  const char* const mangled = typeid(layer).name();
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  const std::string full = status == 0 ? text.get() : mangled;
  const std::size_t colons = full.rfind("::", full.find('<'));
  return colons == std::string::npos ? full : full.substr(colons + 2);
}

// Fills in everything but the outputs.
class Walk final : public Visitor {
 public:
  explicit Walk(Summary& summary) : summary_(summary) {}

  void layer(std::string name, Layer& layer) {
    const std::size_t outer = std::exchange(row_, summary_.rows.size());
    rows_of_[&layer].push_back(row_);
    summary_.rows.push_back({.name = std::move(name), .kind = kind_of(layer)});
    layer.visit(*this);
    row_ = outer;
  }
  void parameter(std::string_view, Tensor& tensor) override {
    if (!tensor.defined() || !seen_.insert(tensor.impl().get()).second) return;
    summary_.rows[row_].parameters += tensor.count();
    summary_.parameters += tensor.count();
    if (tensor.requires_grad()) summary_.trainable_parameters += tensor.count();
    summary_.parameter_bytes +=
        static_cast<std::uint64_t>(tensor.count()) * size_of(tensor.dtype());
  }
  void child(std::string_view name, Layer& child) override {
    const std::string& path = summary_.rows[row_].name;
    summary_.rows[row_].has_children = true;
    layer(path.empty() ? std::string(name) : fmt::format("{}.{}", path, name), child);
  }

  void called(const Layer& layer, const Tensor& output) {
    const auto found = rows_of_.find(&layer);
    if (found == rows_of_.end() || !output.defined()) return;
    const auto bytes = static_cast<std::uint64_t>(output.count()) * size_of(output.dtype());
    for (const std::size_t row : found->second) {
      summary_.rows[row].output = output.shape();
      summary_.rows[row].output_bytes = bytes;
    }
    if (!summary_.rows[found->second[0]].has_children) summary_.output_bytes += bytes;
  }

 private:
  Summary& summary_;
  std::map<const Layer*, std::vector<std::size_t>> rows_of_;
  std::set<const detail::TensorImpl*> seen_;  // a parameter that is shared counts once
  std::size_t row_ = 0;
};

// Watches this thread's layers while it lives.
class Watching {
 public:
  explicit Watching(const detail::LayerWatch& watch)
      : before_(std::exchange(detail::layer_watch(), &watch)) {}
  ~Watching() { detail::layer_watch() = before_; }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

 private:
  const detail::LayerWatch* before_;
};

Device device_of(const Layer& model) {
  const std::vector<Tensor> parameters = model.parameters();
  return parameters.empty() ? default_device() : parameters[0].device();
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes >= 1u << 20) return fmt::format("{:.1f} MiB", value / (1u << 20));
  if (bytes >= 1u << 10) return fmt::format("{:.1f} KiB", value / (1u << 10));
  return fmt::format("{} B", bytes);
}

}  // namespace

Summary summary(const Layer& model, const Shape& input, DType dtype) {
  const NoGradGuard no_grad;
  const std::unique_ptr<Layer> clone = model.clone();
  clone->eval();
  Summary result;
  Walk walk(result);
  walk.layer("", *clone);
  const detail::LayerWatch watch = [&](const Layer& layer, const Tensor& output) {
    walk.called(layer, output);
  };
  const Watching watching(watch);
  static_cast<void>((*clone)(zeros(input, {.dtype = dtype, .device = device_of(*clone)})));
  return result;
}

std::string to_string(const Summary& summary) {
  std::vector<std::array<std::string, 5>> table{
      {"layer", "kind", "output", "parameters", "output bytes"}};
  for (const Summary::Row& row : summary.rows) {
    table.push_back({row.name.empty() ? "(model)" : row.name, row.kind,
                     row.output ? to_string(*row.output) : "not called",
                     std::to_string(row.parameters),
                     row.output ? bytes_text(row.output_bytes) : "-"});
  }
  std::array<std::size_t, 5> width{};
  for (const auto& line : table) {
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  }
  std::string text;
  for (const auto& line : table) {
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}\n", line[0], width[0], line[1],
                        width[1], line[2], width[2], line[3], width[3], line[4], width[4]);
  }
  return text + fmt::format("{} parameters, {} of them trainable, {}; outputs {}\n",
                            summary.parameters, summary.trainable_parameters,
                            bytes_text(summary.parameter_bytes), bytes_text(summary.output_bytes));
}

}  // namespace backplane
