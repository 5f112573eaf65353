// The refusals of the reference back end, each with the rule and the facts.
#include "check.hpp"

#include <algorithm>
#include <span>

#include "tensor.hpp"

namespace backplane::reference {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string type_name(std::uint32_t dtype) {
  const char* name = dtype_name(dtype);
  return name != nullptr ? name : "of type " + std::to_string(dtype) + ", unknown here";
}

std::string type_names(Types types) {
  std::vector<std::string> names;
  for (std::uint32_t dtype = 0; dtype < 32; ++dtype) {
    if ((types >> dtype & 1) != 0) names.push_back(type_name(dtype));
  }
  return (names.size() > 1 ? "one of " : "") + joined(names, ", ");
}

std::string dims_text(std::span<const std::int64_t> dims) {
  std::vector<std::string> numbers;
  for (const std::int64_t dim : dims) numbers.push_back(std::to_string(dim));
  std::string text = "[";
  text += joined(numbers, ",");
  return text += "]";
}

std::span<const std::int64_t> dims_of(const bp_tensor_desc& desc) {
  return {desc.dims, desc.rank};
}

}  // namespace

void Check::that(bool holds, const std::string& text) const {
  if (!holds) throw plugin::invalid(std::string(row_.name) + ": " + text);
}

void Check::counts(std::uint64_t least_inputs, std::uint64_t most_inputs,
                   std::uint64_t least_outputs, std::uint64_t most_outputs) const {
  const auto in_range = [&](std::uint64_t count, std::uint64_t least, std::uint64_t most,
                            const char* what) {
    that(least <= count && count <= most, std::string("takes ") + std::to_string(least) +
                                              (most > least ? " to " + std::to_string(most) : "") +
                                              " " + what + ", got " + std::to_string(count));
  };
  in_range(request_.inputs.size(), least_inputs, most_inputs, "inputs");
  in_range(request_.outputs.size(), least_outputs, most_outputs, "outputs");
  that((request_.adds_to & ~row_.adds_to) == 0,
       "an output that can't be added to is to be added to");
}

void Check::description(const bp_tensor_desc& desc, const std::string& name, Types types) const {
  if (desc.dtype >= 32 || (types >> desc.dtype & 1) == 0) {
    throw plugin::unsupported(std::string(row_.name) + ": " + name + " must be " +
                              type_names(types) + ", it is " + type_name(desc.dtype));
  }
  that(desc.rank <= BP_MAX_RANK, name + " has rank " + std::to_string(desc.rank) +
                                     ", the most is " + std::to_string(BP_MAX_RANK));
  that(desc.layout == BP_LAYOUT_STRIDED,
       name + " must be strided, its layout is " + std::to_string(desc.layout));
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    that(desc.dims[axis] >= 0 && desc.strides[axis] >= 0,
         name + " has a negative dim or stride along axis " + std::to_string(axis));
  }
}

void Check::output(bp_tensor_desc& desc, const std::string& name, Types types) const {
  if (desc.layout == BP_LAYOUT_ANY) {
    desc.layout = BP_LAYOUT_STRIDED;
    std::fill(std::begin(desc.strides), std::end(desc.strides), 0);
    if (desc.rank <= BP_MAX_RANK) set_dense_strides(desc);
  }
  description(desc, name, types);
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    that(desc.strides[axis] > 0 || desc.dims[axis] <= 1 || element_count(desc) == 0,
         name + " has stride 0 along axis " + std::to_string(axis) + " of " +
             std::to_string(desc.dims[axis]) + " elements; only inputs repeat elements");
  }
}

void Check::arguments(std::initializer_list<Argument> inputs,
                      std::initializer_list<Argument> outputs) {
  const auto least = [](std::initializer_list<Argument> arguments) {
    return static_cast<std::uint64_t>(std::ranges::count(arguments, false, &Argument::optional));
  };
  counts(least(inputs), inputs.size(), least(outputs), outputs.size());
  for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
    description(request_.inputs[i], inputs.begin()[i].name, inputs.begin()[i].types);
  }
  for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
    output(request_.outputs[i], outputs.begin()[i].name, outputs.begin()[i].types);
  }
}

void Check::multi_tensor(std::uint64_t count, std::uint64_t inputs_each, std::uint64_t outputs_each,
                         std::uint64_t scalar_inputs, std::uint64_t scalar_outputs) {
  const std::uint64_t inputs = inputs_each * count, outputs = outputs_each * count;
  counts(inputs + scalar_inputs, inputs + scalar_inputs, outputs + scalar_outputs,
         outputs + scalar_outputs);
  const auto dims_of_parameter = [&](const bp_tensor_desc& desc, const std::string& name,
                                     std::size_t i, std::uint64_t tensors) {
    if (i < tensors) same_dims(desc, name.c_str(), request_.inputs[i % count]);
    if (i >= tensors) dims(desc, name.c_str(), {});
  };
  for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
    const std::string name = "input " + std::to_string(i);
    description(request_.inputs[i], name, floating);
    dims_of_parameter(request_.inputs[i], name, i, inputs);
  }
  for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
    const std::string name = "output " + std::to_string(i);
    output(request_.outputs[i], name, floating);
    dims_of_parameter(request_.outputs[i], name, i, outputs);
  }
}

void Check::numbers(std::initializer_list<const char*> inputs) {
  counts(inputs.size(), inputs.size(), 1, 1);
  bp_tensor_desc& y = request_.outputs[0];
  output(y, "y", any_number);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    description(request_.inputs[i], inputs.begin()[i], is_floating(y) ? floating : integer);
  }
}

void Check::rank(const bp_tensor_desc& desc, const char* name, std::uint32_t rank) const {
  that(desc.rank == rank, std::string(name) + " must have rank " + std::to_string(rank) +
                              ", it is " + dtype_name(desc.dtype) + dims_text(dims_of(desc)));
}

void Check::dims(const bp_tensor_desc& desc, const char* name,
                 std::initializer_list<std::int64_t> dims) const {
  that(std::ranges::equal(dims_of(desc), dims),
       std::string(name) + " must have dims " + dims_text({dims.begin(), dims.size()}) +
           ", it is " + dtype_name(desc.dtype) + dims_text(dims_of(desc)));
}

void Check::same_dims(const bp_tensor_desc& desc, const char* name,
                      const bp_tensor_desc& as) const {
  that(std::ranges::equal(dims_of(desc), dims_of(as)),
       std::string(name) + " must have dims " + dims_text(dims_of(as)) + ", it is " +
           dtype_name(desc.dtype) + dims_text(dims_of(desc)));
}

}  // namespace backplane::reference
