// The checks of multi-tensor steps, and how they are cut.
#include "multi_tensor.hpp"

#include <algorithm>

#include "layout.hpp"

namespace backplane::onednn {
namespace {

constexpr std::int64_t elements_of_a_piece = 4096;

}  // namespace

MultiTensor::MultiTensor(const Check& check, plugin::Request& request, std::uint64_t count,
                         std::uint64_t inputs, std::uint64_t outputs) {
  check.inputs(inputs * count, inputs * count);
  check.outputs(outputs * count, outputs * count);
  *this = MultiTensor(check, request.inputs, request.outputs, count, request.threads);
}

MultiTensor::MultiTensor(const Check& check, std::span<bp_tensor_desc> inputs,
                         std::span<bp_tensor_desc> outputs, std::uint64_t count,
                         std::uint32_t threads) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bp_tensor_desc& parameter = inputs[i];
    if (!is_dense(parameter)) {
      throw check.unsupported("parameter " + std::to_string(i) + " has gaps or repeats, " +
                              describe(parameter));
    }
    const std::int64_t elements = element_count(parameter);
    for (std::int64_t begin = 0; begin < elements; begin += elements_of_a_piece) {
      pieces_.push_back({i, begin, std::min(elements_of_a_piece, elements - begin)});
    }
    total += elements;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    bp_tensor_desc& input = inputs[i];
    const bp_tensor_desc& parameter = inputs[i % count];
    check.dtype(input, "a parameter, gradient or moment", {BP_F32});
    check.same_dims(input, "a gradient or moment", parameter);
    if (same_layout(input, parameter)) continue;
    if (i / count != 1) throw check.unsupported("a moment that doesn't lie as its parameter does");
    set_like(input, parameter);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    bp_tensor_desc& output = outputs[i];
    const bp_tensor_desc& parameter = inputs[i % count];
    check.dtype(output, "an updated tensor", {BP_F32});
    check.same_dims(output, "an updated tensor", parameter);
    if (output.layout == BP_LAYOUT_ANY) set_like(output, parameter);
    if (!same_layout(output, parameter)) {
      throw check.unsupported("an updated tensor that doesn't lie as its parameter does");
    }
  }
  parts_ = parts_for(total, threads);
}

}  // namespace backplane::onednn
