// What one thread can do at most, for shares of it: multiply-adds in registers, and copied bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace backplane::cpu {

// Runs `rounds` of independent f32 multiply-adds that never leave the registers, with the widest
// vectors there are. Returns how many operations that were: a multiply-add counts as two. What is
// computed goes to `sink`.
std::uint64_t run_multiply_adds(std::uint64_t rounds, float* sink);

// Copies with stores that go around the caches where the instruction set has them, and returns the
// bytes that moved: those read and those written. Both blocks lie on 64 bytes, as does `bytes`.
std::uint64_t stream_copy(const void* from, void* to, std::size_t bytes);

}  // namespace backplane::cpu
