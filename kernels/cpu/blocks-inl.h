// Four neighbours in memory for each lane of a vector, turned into four vectors, and back: the way
// between rows and vectors of tiles, which gathers would take four times as long for.
#if defined(BACKPLANE_CPU_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef BACKPLANE_CPU_BLOCKS_INL_H
#undef BACKPLANE_CPU_BLOCKS_INL_H
#else
#define BACKPLANE_CPU_BLOCKS_INL_H
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <class D, class Address>
HWY_INLINE void load_columns(D d, const Address& address, hn::Vec<D> (&columns)[4]) {
  for (int j = 0; j < 4; ++j) columns[j] = hn::LoadU(d, address(0) + j);
}

template <class D, class Address>
HWY_INLINE void store_columns(D d, hn::Vec<D> v0, hn::Vec<D> v1, hn::Vec<D> v2, hn::Vec<D> v3,
                              const Address& address) {
  float* to = address(0);
  hn::StoreU(v0, d, to);
  hn::StoreU(v1, d, to + 1);
  hn::StoreU(v2, d, to + 2);
  hn::StoreU(v3, d, to + 3);
}

#else

// A vector is made of blocks of four lanes; block b comes from address(lane + 4 * b).
template <class D, class Address>
HWY_INLINE hn::Vec<D> load_blocks(D d, int lane, const Address& address) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return hn::LoadU(d, address(lane));
  } else {
    const hn::Half<D> half;
    constexpr int upper = static_cast<int>(hn::MaxLanes(D())) / 2;
    return hn::Combine(d, load_blocks(half, lane + upper, address),
                       load_blocks(half, lane, address));
  }
}

template <class D, class Address>
HWY_INLINE void store_blocks(D d, hn::Vec<D> v, int lane, const Address& address) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    hn::StoreU(v, d, address(lane));
  } else {
    const hn::Half<D> half;
    constexpr int upper = static_cast<int>(hn::MaxLanes(D())) / 2;
    store_blocks(half, hn::LowerHalf(half, v), lane, address);
    store_blocks(half, hn::UpperHalf(half, v), lane + upper, address);
  }
}

// Each block of four vectors is a matrix of 4 x 4.
template <class D>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D>& v0, hn::Vec<D>& v1, hn::Vec<D>& v2,
                                 hn::Vec<D>& v3) {
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, v0, v1));
  const auto b = hn::BitCast(pairs, hn::InterleaveUpper(d, v0, v1));
  const auto c = hn::BitCast(pairs, hn::InterleaveLower(d, v2, v3));
  const auto e = hn::BitCast(pairs, hn::InterleaveUpper(d, v2, v3));
  v0 = hn::BitCast(d, hn::InterleaveLower(pairs, a, c));
  v1 = hn::BitCast(d, hn::InterleaveUpper(pairs, a, c));
  v2 = hn::BitCast(d, hn::InterleaveLower(pairs, b, e));
  v3 = hn::BitCast(d, hn::InterleaveUpper(pairs, b, e));
}

// columns[j], lane l = address(l)[j], j < 4.
template <class D, class Address>
HWY_INLINE void load_columns(D d, const Address& address, hn::Vec<D> (&columns)[4]) {
  columns[0] = load_blocks(d, 0, address);
  columns[1] = load_blocks(d, 1, address);
  columns[2] = load_blocks(d, 2, address);
  columns[3] = load_blocks(d, 3, address);
  transpose_blocks(d, columns[0], columns[1], columns[2], columns[3]);
}

// address(l)[j] = columns[j], lane l.
template <class D, class Address>
HWY_INLINE void store_columns(D d, hn::Vec<D> v0, hn::Vec<D> v1, hn::Vec<D> v2, hn::Vec<D> v3,
                              const Address& address) {
  transpose_blocks(d, v0, v1, v2, v3);
  store_blocks(d, v0, 0, address);
  store_blocks(d, v1, 1, address);
  store_blocks(d, v2, 2, address);
  store_blocks(d, v3, 3, address);
}

#endif

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
