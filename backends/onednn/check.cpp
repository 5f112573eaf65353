// The refusals of this back end, each with the rule and the facts.
#include "check.hpp"

#include <algorithm>
#include <span>

#include "layout.hpp"

namespace backplane::onednn {
namespace {

std::string dims_text(std::span<const std::int64_t> dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i != 0) text += ",";
    text += std::to_string(dims[i]);
  }
  return text + "]";
}

std::span<const std::int64_t> dims_of(const bp_tensor_desc& desc) {
  return {desc.dims, std::min<std::size_t>(desc.rank, BP_MAX_RANK)};
}

}  // namespace

const char* dtype_name(std::uint32_t dtype) {
  switch (dtype) {
    case BP_F32:
      return "f32";
    case BP_F64:
      return "f64";
    case BP_F16:
      return "f16";
    case BP_BF16:
      return "bf16";
    case BP_I8:
      return "i8";
    case BP_U8:
      return "u8";
    case BP_I32:
      return "i32";
    case BP_I64:
      return "i64";
    case BP_U16:
      return "u16";
    default:
      return "an unknown type";
  }
}

cpu::Type cpu_type(std::uint32_t dtype) {
  switch (dtype) {
    case BP_F32:
      return cpu::Type::f32;
    case BP_F64:
      return cpu::Type::f64;
    case BP_F16:
      return cpu::Type::f16;
    case BP_BF16:
      return cpu::Type::bf16;
    case BP_I8:
      return cpu::Type::i8;
    case BP_U8:
      return cpu::Type::u8;
    case BP_I32:
      return cpu::Type::i32;
    case BP_I64:
      return cpu::Type::i64;
    default:
      return cpu::Type::u16;
  }
}

std::string describe(const bp_tensor_desc& desc) {
  return dtype_name(desc.dtype) + dims_text(dims_of(desc));
}

Check::Check(const op::Row& row, const plugin::Request& request) : row_(row), request_(request) {
  for (const bp_tensor_desc& desc : request.inputs) description(desc);
  for (const bp_tensor_desc& desc : request.outputs) description(desc);
  that((request.adds_to & ~row.adds_to) == 0 || row.variadic,
       "an output that can't be added to is to be added to");
}

void Check::description(const bp_tensor_desc& desc) const {
  that(desc.rank <= BP_MAX_RANK, "rank goes up to 8, it is " + std::to_string(desc.rank));
  if (desc.dtype < BP_F32 || desc.dtype > BP_U16) {
    throw unsupported("dtype " + std::to_string(desc.dtype) + " is newer than this back end");
  }
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    that(desc.dims[axis] >= 0 && desc.strides[axis] >= 0,
         "dims and strides are never negative, see " + describe(desc));
  }
  const std::int64_t block = block_of(desc);
  const bool known = desc.layout == BP_LAYOUT_STRIDED || desc.layout == BP_LAYOUT_ANY;
  that(known || can_block(desc, block),
       "layout " + std::to_string(desc.layout) + " isn't one of " + describe(desc));
}

void Check::inputs(std::size_t least, std::size_t most) const {
  that(least <= request_.inputs.size() && request_.inputs.size() <= most,
       "takes " + std::to_string(most) + " inputs, got " + std::to_string(request_.inputs.size()));
}

void Check::outputs(std::size_t least, std::size_t most) const {
  that(least <= request_.outputs.size() && request_.outputs.size() <= most,
       "has " + std::to_string(most) + " outputs, asked for " +
           std::to_string(request_.outputs.size()));
}

void Check::dtype(const bp_tensor_desc& desc, const char* what,
                  std::initializer_list<bp_dtype> accepted) const {
  if (std::ranges::find(accepted, static_cast<bp_dtype>(desc.dtype)) != accepted.end()) return;
  std::string names;
  for (const bp_dtype dtype : accepted) {
    names += std::string(names.empty() ? "" : " or ") + dtype_name(dtype);
  }
  throw unsupported(std::string(what) + " must be " + names + ", it is " + describe(desc));
}

void Check::rank(const bp_tensor_desc& desc, const char* what, std::uint32_t rank) const {
  that(desc.rank == rank,
       std::string(what) + " must have rank " + std::to_string(rank) + ", it is " + describe(desc));
}

void Check::dims(const bp_tensor_desc& desc, const char* what,
                 std::initializer_list<std::int64_t> dims) const {
  that(std::ranges::equal(dims_of(desc), dims), std::string(what) + " must have dims " +
                                                    dims_text({dims.begin(), dims.size()}) +
                                                    ", it is " + describe(desc));
}

void Check::same_dims(const bp_tensor_desc& desc, const char* what,
                      const bp_tensor_desc& as) const {
  that(std::ranges::equal(dims_of(desc), dims_of(as)), std::string(what) + " must have dims " +
                                                           dims_text(dims_of(as)) + ", it is " +
                                                           describe(desc));
}

void Check::that(bool holds, const std::string& rule) const {
  if (!holds) throw plugin::invalid(std::string(row_.name) + ": " + rule);
}

plugin::Failure Check::unsupported(const std::string& why) const {
  return plugin::unsupported(std::string(row_.name) + ": " + why);
}

}  // namespace backplane::onednn
