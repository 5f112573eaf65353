// Every product of a convolution, visited in one order, added up for whichever operand is asked
// for.
#include "dnn/convolve.h"

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

namespace backplane::sim {
namespace {

float to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return std::bit_cast<float>((bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu);
}

// Which index of x, of the weight and of y a product joins.
template <class Body>
void for_each_product(const Convolution& c, Body body) {
  const int inputs = c.in_channels / c.groups, outputs = c.out_channels / c.groups;
  for (int n = 0; n < c.samples; ++n)
    for (int o = 0; o < c.out_channels; ++o)
      for (int row = 0; row < c.out[0]; ++row)
        for (int column = 0; column < c.out[1]; ++column)
          for (int i = 0; i < inputs; ++i)
            for (int p = 0; p < c.taps[0]; ++p)
              for (int q = 0; q < c.taps[1]; ++q) {
                const int y = row * c.stride[0] - c.padding[0] + p * c.dilation[0];
                const int x = column * c.stride[1] - c.padding[1] + q * c.dilation[1];
                if (y < 0 || y >= c.in[0] || x < 0 || x >= c.in[1]) continue;
                const int channel = o / outputs * inputs + i;
                body(((n * std::size_t(c.in_channels) + channel) * c.in[0] + y) * c.in[1] + x,
                     ((o * std::size_t(inputs) + i) * c.taps[0] + p) * c.taps[1] + q,
                     ((n * std::size_t(c.out_channels) + o) * c.out[0] + row) * c.out[1] + column);
              }
}

std::size_t input_count(const Convolution& c) {
  return std::size_t(c.samples) * c.in_channels * c.in[0] * c.in[1];
}
std::size_t weight_count(const Convolution& c) {
  return std::size_t(c.out_channels) * (c.in_channels / c.groups) * c.taps[0] * c.taps[1];
}
std::size_t output_count(const Convolution& c) {
  return std::size_t(c.samples) * c.out_channels * c.out[0] * c.out[1];
}

std::vector<float> load(const void* storage, std::size_t count, bool tf32) {
  std::vector<float> values(count);
  std::memcpy(values.data(), storage, count * sizeof(float));
  if (tf32)
    for (float& value : values) value = to_tf32(value);
  return values;
}

// `add(sums, a, b)` visits the products. What the workspace held is lost, as on a card.
template <class Add>
void run(void* const* storage, const Convolution& c, std::size_t first, std::size_t second,
         std::size_t count, Add add) {
  const std::vector<float> a = load(storage[0], first, c.tf32);
  const std::vector<float> b = load(storage[1], second, c.tf32);
  const float nothing = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(storage[2], &nothing, sizeof nothing);
  std::vector<float> sums(count);
  add(sums, a, b);
  auto* target = static_cast<float*>(storage[3]);
  for (std::size_t i = 0; i < count; ++i) {
    // With beta zero the old value is not read: it may be NaN.
    target[i] = c.alpha * sums[i] + (c.beta == 0 ? 0 : c.beta * target[i]);
  }
}

Convolution problem_of(const void* convolution) {
  Convolution c;
  std::memcpy(&c, convolution, sizeof c);
  return c;
}

}  // namespace

void run_forward(void* const* storage, const void* convolution) {
  const Convolution c = problem_of(convolution);
  run(storage, c, input_count(c), weight_count(c), output_count(c),
      [&](auto& sums, const auto& x, const auto& w) {
        for_each_product(c, [&](auto i, auto k, auto o) { sums[o] += x[i] * w[k]; });
      });
}

void run_backward_data(void* const* storage, const void* convolution) {
  const Convolution c = problem_of(convolution);
  run(storage, c, weight_count(c), output_count(c), input_count(c),
      [&](auto& sums, const auto& w, const auto& dy) {
        for_each_product(c, [&](auto i, auto k, auto o) { sums[i] += w[k] * dy[o]; });
      });
}

void run_backward_filter(void* const* storage, const void* convolution) {
  const Convolution c = problem_of(convolution);
  run(storage, c, input_count(c), output_count(c), weight_count(c),
      [&](auto& sums, const auto& x, const auto& dy) {
        for_each_product(c, [&](auto i, auto k, auto o) { sums[k] += x[i] * dy[o]; });
      });
}

}  // namespace backplane::sim
