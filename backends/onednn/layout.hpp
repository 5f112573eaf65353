// How tensors lie in memory on this device: any strides, and one private layout, in which groups of
// channels as wide as a vector register lie together (nChw16c with AVX-512, nChw8c with AVX2).
#pragma once

#include <cstdint>
#include <span>

#include "backplane/plugin/abi.h"

namespace backplane::onednn {

inline constexpr std::uint32_t layout_blocked8 = BP_LAYOUT_PRIVATE;
inline constexpr std::uint32_t layout_blocked16 = BP_LAYOUT_PRIVATE + 1;

// Channels in a group; 0: the layout is strided.
[[nodiscard]] constexpr std::int64_t block_of(const bp_tensor_desc& desc) {
  return desc.layout == layout_blocked16 ? 16 : desc.layout == layout_blocked8 ? 8 : 0;
}

// The widest group that this machine's vectors hold; 0: the private layout isn't worth while.
[[nodiscard]] std::int64_t native_block();

// Rank 4 and no group is padded: then the bytes of the private layout are a dense array, and
// element-wise kernels need not know it.
[[nodiscard]] bool can_block(const bp_tensor_desc& desc, std::int64_t block);

[[nodiscard]] std::int64_t element_count(const bp_tensor_desc& desc);
[[nodiscard]] std::uint64_t element_bytes(const bp_tensor_desc& desc);
[[nodiscard]] std::uint64_t byte_count(const bp_tensor_desc& desc);  // of all elements

// Axes of size 1 don't count: their strides mean nothing.
[[nodiscard]] bool is_row_major(const bp_tensor_desc& desc);
// Or open, so that it can become so.
[[nodiscard]] bool can_be_row_major(const bp_tensor_desc& desc);
[[nodiscard]] bool is_channels_last(const bp_tensor_desc& desc);
// Some order of the axes has no gaps and no repetition; true of the private layout.
[[nodiscard]] bool is_dense(const bp_tensor_desc& desc);
// Equal dims are the caller's business.
[[nodiscard]] bool same_layout(const bp_tensor_desc& a, const bp_tensor_desc& b);

void set_row_major(bp_tensor_desc& desc);
// All that aren't yet.
void make_row_major(std::span<bp_tensor_desc> descs);
void set_channels_last(bp_tensor_desc& desc);
void set_blocked(bp_tensor_desc& desc, std::int64_t block);
// Row-major but for one axis, which is moved to the end: its elements lie side by side.
void set_innermost(bp_tensor_desc& desc, std::uint32_t axis);
// The layout of `model`, which has the same dims; where that isn't dense, its order of the axes.
void set_like(bp_tensor_desc& desc, const bp_tensor_desc& model);

}  // namespace backplane::onednn
