// Strides of the layouts in layout.hpp.
#include "layout.hpp"

#include <algorithm>
#include <array>
#include <dnnl.hpp>
#include <numeric>

namespace backplane::onednn {
namespace {

using Order = std::array<std::uint32_t, BP_MAX_RANK>;

Order natural_order() {
  Order order{};
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

constexpr Order channels_last_order{0, 2, 3, 1};

void set_order(bp_tensor_desc& desc, const Order& order) {
  desc.layout = BP_LAYOUT_STRIDED;
  std::fill(std::begin(desc.strides), std::end(desc.strides), 0);
  std::int64_t stride = 1;
  for (std::uint32_t i = desc.rank; i-- > 0;) {
    desc.strides[order[i]] = stride;
    stride *= std::max<std::int64_t>(desc.dims[order[i]], 1);
  }
}

bool has_order(const bp_tensor_desc& desc, const Order& order) {
  if (desc.layout != BP_LAYOUT_STRIDED) return false;
  bp_tensor_desc dense = desc;
  set_order(dense, order);
  return same_layout(desc, dense);
}

// The axes from the largest stride to the smallest; axes of size 1 stay where they are.
Order stride_order(const bp_tensor_desc& desc) {
  Order sorted{};
  std::uint32_t count = 0;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    if (desc.dims[axis] != 1) sorted[count++] = axis;
  }
  std::stable_sort(sorted.begin(), sorted.begin() + count,
                   [&](auto a, auto b) { return desc.strides[a] > desc.strides[b]; });
  Order order = natural_order();
  std::uint32_t next = 0;
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    if (desc.dims[axis] != 1) order[axis] = sorted[next++];
  }
  return order;
}

}  // namespace

std::int64_t native_block() {
  static const std::int64_t block = [] {
    switch (dnnl::get_effective_cpu_isa()) {
      case dnnl::cpu_isa::sse41:
        return 0;
      case dnnl::cpu_isa::avx2:
      case dnnl::cpu_isa::avx2_vnni:
        return 8;
      default:
        return 16;
    }
  }();
  return block;
}

bool can_block(const bp_tensor_desc& desc, std::int64_t block) {
  return block != 0 && desc.rank == 4 && desc.dims[1] != 0 && desc.dims[1] % block == 0;
}

std::int64_t element_count(const bp_tensor_desc& desc) {
  return std::accumulate(desc.dims, desc.dims + desc.rank, std::int64_t{1}, std::multiplies<>());
}

std::uint64_t element_bytes(const bp_tensor_desc& desc) {
  switch (desc.dtype) {
    case BP_F64:
    case BP_I64:
      return 8;
    case BP_F32:
    case BP_I32:
      return 4;
    case BP_F16:
    case BP_BF16:
    case BP_U16:
      return 2;
    default:
      return 1;
  }
}

std::uint64_t byte_count(const bp_tensor_desc& desc) {
  return static_cast<std::uint64_t>(element_count(desc)) * element_bytes(desc);
}

bool is_row_major(const bp_tensor_desc& desc) {
  return has_order(desc, natural_order());
}

bool can_be_row_major(const bp_tensor_desc& desc) {
  return desc.layout == BP_LAYOUT_ANY || is_row_major(desc);
}

bool is_channels_last(const bp_tensor_desc& desc) {
  return desc.rank == 4 && has_order(desc, channels_last_order);
}

bool is_dense(const bp_tensor_desc& desc) {
  return block_of(desc) != 0 || has_order(desc, stride_order(desc));
}

bool same_layout(const bp_tensor_desc& a, const bp_tensor_desc& b) {
  if (a.layout != b.layout) return false;
  if (a.layout != BP_LAYOUT_STRIDED) return true;
  for (std::uint32_t axis = 0; axis < a.rank; ++axis) {
    if (a.dims[axis] != 1 && a.strides[axis] != b.strides[axis]) return false;
  }
  return true;
}

void set_row_major(bp_tensor_desc& desc) {
  set_order(desc, natural_order());
}

void make_row_major(std::span<bp_tensor_desc> descs) {
  for (bp_tensor_desc& desc : descs) {
    if (!is_row_major(desc)) set_row_major(desc);
  }
}

void set_channels_last(bp_tensor_desc& desc) {
  set_order(desc, channels_last_order);
}

void set_blocked(bp_tensor_desc& desc, std::int64_t block) {
  desc.layout = block == 16 ? layout_blocked16 : layout_blocked8;
  std::fill(std::begin(desc.strides), std::end(desc.strides), 0);
}

void set_innermost(bp_tensor_desc& desc, std::uint32_t axis) {
  Order order = natural_order();
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.begin() + desc.rank);
  set_order(desc, order);
}

void set_like(bp_tensor_desc& desc, const bp_tensor_desc& model) {
  if (block_of(model) != 0) {
    set_blocked(desc, block_of(model));
  } else if (is_row_major(model)) {
    set_row_major(desc);
  } else {
    set_order(desc, stride_order(model));
  }
}

}  // namespace backplane::onednn
