// Transposes of matrices of 4-byte elements, in registers.
#include "cpu/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/transpose.cpp"
#include "hwy/foreach_target.h"
// After foreach_target, which sets the instruction set.
#include "cpu/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace backplane::cpu::HWY_NAMESPACE {

// Moves of floats keep their bits, whatever they mean.
void transpose_bits(const Transpose& t, const std::uint32_t* src, std::uint32_t* dst) {
  transpose(t, reinterpret_cast<const float*>(src), StoreTransposed{reinterpret_cast<float*>(dst)});
}

}  // namespace backplane::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace backplane::cpu {

HWY_EXPORT(transpose_bits);
void transpose(const Transpose& transpose, const std::uint32_t* src, std::uint32_t* dst) {
  HWY_DYNAMIC_DISPATCH(transpose_bits)(transpose, src, dst);
}

}  // namespace backplane::cpu
#endif
