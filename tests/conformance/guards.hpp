// Tensors whose memory is watched: nothing before, between or behind their elements may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backplane/tensor.hpp"
#include "layout.hpp"

namespace conformance {

// The device's memory holds guard elements, then what the layout needs, then guard elements. Guards
// are a NaN of a payload that no arithmetic makes (0xA5 for integers), so that reading them shows
// as well as writing them.
class GuardedTensor {
 public:
  GuardedTensor(backplane::Device device, backplane::DType dtype, const backplane::Shape& shape,
                Layout layout);

  // Sets the elements, from a row-major host tensor, or all to the guard pattern.
  void fill(const backplane::Tensor& host);
  void poison();

  // The strided tensor that operations get.
  [[nodiscard]] const backplane::Tensor& view() const noexcept { return view_; }

  // What was filled in, row-major on the host. Differs from the source where strides repeat.
  [[nodiscard]] backplane::Tensor filled() const { return gather(content_); }

  // Waits for the current stream and reads the memory back.
  struct Outcome {
    backplane::Tensor elements;        // row-major on the host
    std::string guard_fault;           // which byte outside the elements changed; empty: none
    std::int64_t first_changed = -1;   // row-major index of the first element that changed
    std::int64_t first_poisoned = -1;  // ... that still has the guard pattern
  };
  [[nodiscard]] Outcome read() const;

 private:
  [[nodiscard]] backplane::Tensor gather(const backplane::Tensor& memory) const;
  [[nodiscard]] std::string guard_fault(const backplane::Tensor& now) const;

  backplane::Tensor memory_, view_;
  backplane::Tensor content_;                   // what the memory was set to, on the host
  std::vector<std::size_t> elements_, guards_;  // positions in the memory; elements row-major
  std::uint64_t pattern_;                       // its low bytes are a guard
};

}  // namespace conformance
