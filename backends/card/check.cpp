// The refusals of a card, each with the rule and the facts.
#include "check.hpp"

#include <algorithm>

#include "shape.hpp"

namespace backplane::card {
namespace {

std::string names_of(Types types) {
  std::string names;
  for (std::uint32_t dtype = 1; dtype < 32; ++dtype) {
    if ((types >> dtype & 1) == 0) continue;
    if (!names.empty()) names += " or ";
    names += dtype_name(dtype);
  }
  return names;
}

std::uint64_t required(std::initializer_list<Argument> arguments) {
  return static_cast<std::uint64_t>(std::ranges::count(arguments, false, &Argument::optional));
}

bool equal_dims(const bp_tensor_desc& a, const bp_tensor_desc& b) {
  return std::equal(a.dims, a.dims + a.rank, b.dims, b.dims + b.rank);
}

}  // namespace

plugin::Failure Check::unsupported(const std::string& why) const {
  return plugin::unsupported(std::string(row_.name) + ": " + why);
}

void Check::that(bool holds, const std::string& rule) const {
  if (!holds) throw plugin::invalid(std::string(row_.name) + ": " + rule);
}

void Check::counts(const char* what, std::uint64_t count, std::uint64_t least,
                   std::uint64_t most) const {
  std::string range = std::to_string(least);
  if (most != least) range += " to " + std::to_string(most);
  that(least <= count && count <= most,
       "takes " + range + " " + what + ", " + std::to_string(count) + " given");
}

void Check::description(const bp_tensor_desc& desc, const std::string& name, Types types) const {
  const char* dtype = dtype_name(desc.dtype);
  if (dtype == nullptr || (types >> desc.dtype & 1) == 0) {
    throw unsupported(name + " must be " + names_of(types) + ", is " +
                      (dtype != nullptr ? dtype : "of unknown type " + std::to_string(desc.dtype)));
  }
  that(desc.rank <= BP_MAX_RANK,
       name + " has rank " + std::to_string(desc.rank) + ", the most is 8");
  that(desc.layout == BP_LAYOUT_STRIDED,
       name + " must be strided, has layout " + std::to_string(desc.layout));
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    that(desc.dims[axis] >= 0 && desc.strides[axis] >= 0,
         name + " has a negative dim or stride along axis " + std::to_string(axis));
  }
}

void Check::output(bp_tensor_desc& desc, const std::string& name, Types types) const {
  if (desc.layout == BP_LAYOUT_ANY && desc.rank <= BP_MAX_RANK) {
    desc.layout = BP_LAYOUT_STRIDED;
    std::fill(std::begin(desc.strides), std::end(desc.strides), 0);
    set_dense_strides(desc);
  }
  description(desc, name, types);
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    that(desc.dims[axis] < 2 || desc.strides[axis] > 0 || element_count(desc) == 0,
         name + " repeats elements along axis " + std::to_string(axis) + "; only inputs may");
  }
}

void Check::arguments(std::initializer_list<Argument> inputs,
                      std::initializer_list<Argument> outputs) {
  counts("inputs", request_.inputs.size(), required(inputs), inputs.size());
  counts("outputs", request_.outputs.size(), required(outputs), outputs.size());
  that((request_.adds_to & ~row_.adds_to) == 0, "can't add to that output; add the result later");
  for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
    const Argument& expected = inputs.begin()[i];
    description(request_.inputs[i], expected.name, expected.types);
  }
  for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
    const Argument& expected = outputs.begin()[i];
    output(request_.outputs[i], expected.name, expected.types);
  }
}

void Check::multi_tensor(std::uint64_t count, std::uint64_t inputs_each, std::uint64_t outputs_each,
                         std::uint64_t scalar_inputs, std::uint64_t scalar_outputs) {
  const std::uint64_t inputs = inputs_each * count, outputs = outputs_each * count;
  counts("inputs", request_.inputs.size(), inputs + scalar_inputs, inputs + scalar_inputs);
  counts("outputs", request_.outputs.size(), outputs + scalar_outputs, outputs + scalar_outputs);
  that(request_.adds_to == 0, "can't add to its outputs");
  const auto dims_of_parameter = [&](const bp_tensor_desc& desc, const std::string& name,
                                     std::size_t i, std::uint64_t tensors) {
    if (i < tensors) same_dims(desc, name.c_str(), request_.inputs[i % count]);
    if (i >= tensors) dims(desc, name.c_str(), {});
  };
  for (std::size_t i = 0; i < request_.inputs.size(); ++i) {
    const std::string name = "input " + std::to_string(i);
    description(request_.inputs[i], name, f32);
    dims_of_parameter(request_.inputs[i], name, i, inputs);
  }
  for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
    const std::string name = "output " + std::to_string(i);
    output(request_.outputs[i], name, f32);
    dims_of_parameter(request_.outputs[i], name, i, outputs);
  }
}

void Check::factors_of_one_type() const {
  const bp_tensor_desc &a = request_.inputs[0], &b = request_.inputs[1];
  that(a.dtype == b.dtype,
       "both operands must have one type, are " + describe(a) + " and " + describe(b));
}

void Check::one_type() const {
  const bp_tensor_desc& as = request_.outputs[0];
  for (const auto tensors : {request_.inputs, request_.outputs}) {
    for (const bp_tensor_desc& desc : tensors) {
      if (desc.dtype == as.dtype) continue;
      throw unsupported("takes tensors of one type, got " + describe(desc) + " and " +
                        describe(as) + "; cast one");
    }
  }
}

void Check::one_shape() const {
  for (const auto tensors : {request_.inputs, request_.outputs}) {
    for (const bp_tensor_desc& desc : tensors) same_dims(desc, "a tensor", request_.outputs[0]);
  }
}

void Check::dims(const bp_tensor_desc& desc, const char* name,
                 std::initializer_list<std::int64_t> dims) const {
  bp_tensor_desc wanted{};
  wanted.dtype = desc.dtype;
  for (const std::int64_t dim : dims) wanted.dims[wanted.rank++] = dim;
  same_dims(desc, name, wanted);
}

void Check::same_dims(const bp_tensor_desc& desc, const char* name,
                      const bp_tensor_desc& as) const {
  that(equal_dims(desc, as),
       std::string(name) + " must have the dims of " + describe(as) + ", is " + describe(desc));
}

void Check::rank(const bp_tensor_desc& desc, const char* name, std::uint32_t rank) const {
  that(desc.rank == rank,
       std::string(name) + " must have rank " + std::to_string(rank) + ", is " + describe(desc));
}

}  // namespace backplane::card
