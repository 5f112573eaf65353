// Counting, strides, and the collapse of axes.
#include "shape.hpp"

#include <algorithm>

namespace backplane::card {

static_assert(MAX_RANK == BP_MAX_RANK);
static_assert(F32 == BP_F32 && F64 == BP_F64 && F16 == BP_F16 && BF16 == BP_BF16 && I8 == BP_I8 &&
              U8 == BP_U8 && I32 == BP_I32 && I64 == BP_I64 && U16 == BP_U16);

const char* dtype_name(std::uint32_t dtype) {
  constexpr const char* names[] = {nullptr, "f32", "f64", "f16", "bf16",
                                   "i8",    "u8",  "i32", "i64", "u16"};
  return dtype < std::size(names) ? names[dtype] : nullptr;
}

i64 element_bytes(std::uint32_t dtype) {
  switch (dtype) {
    case BP_I8:
    case BP_U8:
      return 1;
    case BP_F16:
    case BP_BF16:
    case BP_U16:
      return 2;
    case BP_F32:
    case BP_I32:
      return 4;
    default:
      return 8;
  }
}

i64 element_count(const bp_tensor_desc& desc) {
  i64 count = 1;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) count *= desc.dims[axis];
  return count;
}

std::uint64_t span_bytes(const bp_tensor_desc& desc) {
  if (element_count(desc) == 0) return 0;
  i64 last = 0;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    last += (desc.dims[axis] - 1) * desc.strides[axis];
  }
  return static_cast<std::uint64_t>((last + 1) * element_bytes(desc.dtype));
}

std::string describe(const bp_tensor_desc& desc) {
  std::string text = dtype_name(desc.dtype);
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    text += axis == 0 ? "[" : ",";
    text += std::to_string(desc.dims[axis]);
  }
  return text += desc.rank == 0 ? "[]" : "]";
}

void set_dense_strides(bp_tensor_desc& desc) {
  i64 stride = 1;
  for (std::uint32_t axis = desc.rank; axis-- > 0;) {
    desc.strides[axis] = stride;
    stride *= std::max<i64>(desc.dims[axis], 1);
  }
}

bool is_dense(const bp_tensor_desc& desc) {
  i64 stride = 1;
  for (std::uint32_t axis = desc.rank; axis-- > 0;) {
    if (desc.dims[axis] != 1 && desc.strides[axis] != stride) return false;
    stride *= std::max<i64>(desc.dims[axis], 1);
  }
  return true;
}

bp_tensor_desc dense(std::uint32_t dtype, std::initializer_list<i64> dims) {
  bp_tensor_desc desc{};
  desc.dtype = dtype;
  for (const i64 dim : dims) desc.dims[desc.rank++] = dim;
  set_dense_strides(desc);
  return desc;
}

bp_tensor_desc view(const bp_tensor_desc& desc, std::initializer_list<Axis> axes) {
  bp_tensor_desc result{};
  result.dtype = desc.dtype;
  for (const auto& [dim, stride] : axes) {
    result.dims[result.rank] = dim;
    result.strides[result.rank++] = stride;
  }
  return result;
}

namespace {

// Whether the last axis of the nest and the next one are one axis in every operand.
bool continues(const Nest& nest, Operands operands, std::uint32_t axis) {
  if (nest.rank == 0) return false;
  int o = 0;
  for (const bp_tensor_desc* operand : operands) {
    const i64 step = operand->dims[axis] * operand->strides[axis];
    if (nest.strides[o++][nest.rank - 1] != step) return false;
  }
  return true;
}

void append(Nest& nest, Operands operands, std::uint32_t axis) {
  const i64 dim = (*operands.begin())->dims[axis];
  const bool merges = continues(nest, operands, axis);
  const int place = merges ? nest.rank - 1 : nest.rank++;
  nest.dims[place] = merges ? nest.dims[place] * dim : dim;
  int o = 0;
  for (const bp_tensor_desc* operand : operands) {
    nest.strides[o++][place] = operand->strides[axis];
  }
}

}  // namespace

Nest nest_over(std::uint32_t axes, Operands operands) {
  Nest nest{};
  const bp_tensor_desc& first = **operands.begin();
  nest.count = 1;
  for (std::uint32_t axis = 0; axis < first.rank; ++axis) {
    if ((axes >> axis & 1) == 0) continue;
    nest.count *= first.dims[axis];
    if (first.dims[axis] != 1) append(nest, operands, axis);
  }
  nest.dense = nest.rank <= 1;
  for (std::size_t o = 0; o < operands.size() && nest.rank == 1; ++o) {
    nest.dense = nest.dense && nest.strides[o][0] == 1;
  }
  return nest;
}

Nest nest(Operands operands) {
  return nest_over(~0u, operands);
}

}  // namespace backplane::card
