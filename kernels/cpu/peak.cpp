// Peaks of one thread: the loops that are timed.
#include "cpu/peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/peak.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"  // includes this file once for each instruction set
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t run_multiply_adds_here(std::uint64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  // Ten chains: more than latency times units (4 x 2) of the machines there are, and they fit the
  // sixteen registers of AVX2. The factor lets values settle, so that none is ever subnormal.
  const auto factor = hn::Set(d, 0.5f), term = hn::Set(d, 1.0f);
  // They start apart, or the compiler would see one chain.
  auto a = hn::Set(d, 0.0f), b = hn::Set(d, 0.1f), c = hn::Set(d, 0.2f), e = hn::Set(d, 0.3f),
       f = hn::Set(d, 0.4f), g = hn::Set(d, 0.5f), h = hn::Set(d, 0.6f), i = hn::Set(d, 0.7f),
       j = hn::Set(d, 0.8f), k = hn::Set(d, 0.9f);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)),
                           hn::Add(hn::Add(f, g), hn::Add(hn::Add(h, i), hn::Add(j, k))));
  *sink = hn::GetLane(sum);
  return rounds * 10 * 2 * hn::Lanes(d);
}

std::uint64_t stream_copy_here(const void* from, void* to, std::size_t bytes) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto* in = static_cast<const std::uint8_t*>(from);
  auto* out = static_cast<std::uint8_t*>(to);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < bytes; at += lanes) hn::Stream(hn::Load(d, in + at), d, out + at);
  hwy::FlushStream();
  return 2 * std::uint64_t{bytes};
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(run_multiply_adds_here);
HWY_EXPORT(stream_copy_here);

std::uint64_t run_multiply_adds(std::uint64_t rounds, float* sink) {
  return HWY_DYNAMIC_DISPATCH(run_multiply_adds_here)(rounds, sink);
}

std::uint64_t stream_copy(const void* from, void* to, std::size_t bytes) {
  return HWY_DYNAMIC_DISPATCH(stream_copy_here)(from, to, bytes);
}

}  // namespace backplane::cpu
#endif
