// Kernels of a training step, half precision, and device memory of every kind.
#include <algorithm>
#include <cstring>

#include "checks/support.h"
#include "device/rounding.h"
#include "kernels/kernels.h"

using namespace backplane::sim;
using namespace backplane::sim::checks;

namespace {

void philox(uint32_t (&c)[4], uint64_t seed) {
  uint32_t k0 = static_cast<uint32_t>(seed);
  uint32_t k1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57u} * c[2];
    const uint32_t next[4] = {
        static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
        static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
    std::copy(std::begin(next), std::end(next), c);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

}  // namespace

TEST_CASE("dropout draws the numbers of Philox") {
  uint32_t known[4] = {};
  philox(known, 0);  // a known answer of the paper's authors (Random123, kat_vectors)
  CHECK_EQ(known[0], 0x6627e8d5u);
  const int n = 1003;
  const uint64_t seed = 0x123456789abcdefull;
  const uint64_t offset = (1ull << 32) - 20;  // carries into the second word
  const auto x = reals(n, -1, 1);
  const DeviceArray<float> dx(x), dy(n);
  kernels::dropout(dx, dy, n, seed, offset, 0.75f, nullptr);
  std::vector<float> wanted(n);
  for (int i = 0; i < n; ++i) {
    const uint64_t place = offset + static_cast<uint64_t>(i / 4);
    uint32_t c[4] = {static_cast<uint32_t>(place), static_cast<uint32_t>(place >> 32), 0, 0};
    philox(c, seed);
    const float uniform = static_cast<float>(c[i % 4] >> 8) * (1.0f / 16777216.0f);
    wanted[i] = uniform < 0.75f ? x[i] / 0.75f : 0.0f;
  }
  CHECK_EQ(dy.download(), wanted);
}

TEST_CASE("an Adam step") {
  const int n = 300;
  auto p = reals(n, -1, 1);
  const auto g = reals(n, -1, 1, 2);
  auto m = reals(n, -0.1f, 0.1f, 3);
  auto v = reals(n, 0, 0.1f, 4);
  const DeviceArray<float> dp(p), dg(g), dm(m), dv(v);
  kernels::adam(dp, dg, dm, dv, n, 0.01f, 0.9f, 0.999f, 1e-8f, 0.1f, 0.001f, nullptr);
  for (int i = 0; i < n; ++i) {
    m[i] = 0.9f * m[i] + (1 - 0.9f) * g[i];
    v[i] = 0.999f * v[i] + (1 - 0.999f) * g[i] * g[i];
    p[i] -= 0.01f * (m[i] / 0.1f) / (std::sqrt(v[i] / 0.001f) + 1e-8f);
  }
  CHECK_LT(distance(dp.download(), p), 1e-6);
  CHECK_LT(distance(dm.download(), m), 1e-6);
  CHECK_LT(distance(dv.download(), v), 1e-6);
}

TEST_CASE("max-pool with overlapping windows and its winners") {
  const int planes = 3, height = 11, width = 9;
  auto x = reals(planes * height * width, -1, 1);
  x[5] = NAN;
  const int out_height = 5, out_width = 4, outputs = planes * out_height * out_width;
  const DeviceArray<float> dx(x), dy(outputs);
  const DeviceArray<uint8_t> winner(outputs);
  kernels::max_pool(dx, dy, winner, planes, height, width, 3, 2, nullptr);
  std::vector<float> wanted(outputs);
  std::vector<uint8_t> wanted_winner(outputs);
  for (int i = 0; i < outputs; ++i) {
    float best = -INFINITY;
    for (int tap = 0; tap < 9; ++tap) {
      const int row = i / out_width % out_height * 2 + tap / 3;
      const int column = i % out_width * 2 + tap % 3;
      const float value = x[(i / (out_height * out_width) * height + row) * width + column];
      if (!(value > best) && !std::isnan(value)) continue;
      best = value;
      wanted_winner[i] = static_cast<uint8_t>(tap);
    }
    wanted[i] = best;
  }
  CHECK_EQ(distance(dy.download(), wanted), 0);
  CHECK_EQ(winner.download(), wanted_winner);
}

TEST_CASE("convolution over a three-dimensional grid") {
  const int batch = 2, channels = 3, size = 10, outputs = 4, kernel = 3, out = 8;
  const auto x = reals(batch * channels * size * size, -1, 1);
  const auto w = reals(outputs * channels * kernel * kernel, -1, 1, 2);
  const DeviceArray<float> dx(x), dw(w), dy(batch * outputs * out * out);
  kernels::conv2d(dx, dw, dy, batch, channels, size, outputs, kernel, nullptr);
  std::vector<double> wanted(batch * outputs * out * out);
  for (size_t at = 0; at < wanted.size(); ++at) {
    const size_t column = at % out, row = at / out % out, o = at / (out * out) % outputs;
    const size_t image = at / (out * out * outputs);
    for (size_t c = 0; c < channels; ++c) {
      for (size_t tap = 0; tap < kernel * kernel; ++tap) {
        wanted[at] +=
            x[((image * channels + c) * size + row + tap / kernel) * size + column + tap % kernel] *
            w[(o * channels + c) * kernel * kernel + tap];
      }
    }
  }
  CHECK_LT(distance(dy.download(), wanted), 1e-6);
}

TEST_CASE("cross-entropy, with a label out of range in an error word") {
  const int rows = 70, classes = 10;
  const auto x = reals(rows * classes, -3, 3);
  std::vector<int> labels(rows);
  for (int r = 0; r < rows; ++r) labels[r] = r * 3 % classes;
  labels[40] = 10;
  labels[60] = -1;
  const DeviceArray<float> dx(x), losses(rows);
  const DeviceArray<int> dl(labels);
  const DeviceArray<unsigned> error(std::vector<unsigned>{~0u});
  kernels::cross_entropy(dx, dl, losses, error, rows, classes, nullptr);
  CHECK_EQ(error.download()[0], 40u);
  std::vector<double> wanted(rows);
  for (int r = 0; r < rows; ++r) {
    if (labels[r] < 0 || labels[r] >= classes) continue;
    double sum = 0;
    for (int c = 0; c < classes; ++c) sum += std::exp(x[r * classes + c]);
    wanted[r] = std::log(sum) - x[r * classes + labels[r]];
  }
  CHECK_LT(distance(losses.download(), wanted), 1e-6);
}

namespace {

template <class Half, class Ours>
std::vector<Half> half_values(const std::vector<float>& x) {
  std::vector<Half> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const Ours value = device::narrow<Ours>(x[i], device::Rounding::nearest);
    std::memcpy(static_cast<void*>(&out[i]), &value, 2);
  }
  return out;
}
template <class Ours, class Half>
std::vector<float> float_values(const std::vector<Half>& x) {
  std::vector<float> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    Ours value;
    std::memcpy(&value, &x[i], 2);
    out[i] = device::widen(value);
  }
  return out;
}
template <class Ours>
float rounded(double value) {
  return device::widen(device::narrow<Ours>(value, device::Rounding::nearest));
}

}  // namespace

TEST_CASE("half precision rounds once for each operation") {
  using device::f16;
  const int n = 200;
  const auto a = half_values<__half, f16>(reals(n, -4, 4));
  const auto b = half_values<__half, f16>(reals(n, 0.1f, 4, 2));
  const DeviceArray<__half> da(a), db(b), dy(8 * n);
  kernels::halves(da, db, dy, n, nullptr);
  const auto y = float_values<f16>(dy.download());
  const auto fa = float_values<f16>(a);
  const auto fb = float_values<f16>(b);
  for (int i = 0; i < n; ++i) {
    const double p = fa[i], q = fb[i];
    CHECK_EQ(y[8 * i], rounded<f16>(p + q));
    CHECK_EQ(y[8 * i + 1], rounded<f16>(p * q));
    CHECK_EQ(y[8 * i + 2], rounded<f16>(p * q + p));
    CHECK_LE(std::fabs(y[8 * i + 3] - p / q), std::fabs(p / q) / 1024);
    CHECK_EQ(y[8 * i + 4], std::max(fa[i], fb[i]));
    CHECK_EQ(y[8 * i + 5], std::max(fa[i], fb[i]));
    CHECK_LE(std::fabs(y[8 * i + 6] - std::sqrt(std::fabs(p))), 2e-3);
    CHECK_LE(std::fabs(y[8 * i + 7] - std::exp(p) * q), 1e-3 + std::exp(p) * q / 1024);
  }
}

TEST_CASE("bfloat16 rounds once for each operation") {
  using device::bf16;
  const int n = 200;
  const auto a = half_values<__nv_bfloat16, bf16>(reals(n, -4, 4));
  const auto b = half_values<__nv_bfloat16, bf16>(reals(n, -4, 4, 2));
  const DeviceArray<__nv_bfloat16> da(a), db(b), dy(6 * n);
  kernels::bfloats(da, db, dy, n, nullptr);
  const auto y = float_values<bf16>(dy.download());
  const auto fa = float_values<bf16>(a);
  const auto fb = float_values<bf16>(b);
  for (int i = 0; i < n; ++i) {
    const double p = fa[i], q = fb[i];
    CHECK_EQ(y[6 * i], rounded<bf16>(p + q));
    CHECK_EQ(y[6 * i + 1], rounded<bf16>(p * q));
    CHECK_EQ(y[6 * i + 2], rounded<bf16>(p * q + p));
    CHECK_EQ(y[6 * i + 3], std::min(fa[i], fb[i]));
    CHECK_EQ(y[6 * i + 4], rounded<bf16>(fa[i] / 3.0f));
    CHECK_EQ(y[6 * i + 5], -fa[i]);
  }
}

TEST_CASE("pairs of halves") {
  using device::f16;
  const int n = 64;
  const auto a = half_values<__half, f16>(reals(2 * n, -2, 2));
  const auto b = half_values<__half, f16>(reals(2 * n, -2, 2, 2));
  const DeviceArray<__half> da(a), db(b), dy(2 * n);
  kernels::half_pairs(reinterpret_cast<const __half2*>(da.get()),
                      reinterpret_cast<const __half2*>(db.get()),
                      reinterpret_cast<__half2*>(dy.get()), n, nullptr);
  const auto y = float_values<f16>(dy.download());
  const auto fa = float_values<f16>(a);
  const auto fb = float_values<f16>(b);
  for (int i = 0; i < 2 * n; ++i) {
    const auto sum = [&](int at) { return rounded<f16>(double{fa[at]} * fb[at] + 0.5); };
    const float factor = i % 2 == 0 ? 2.0f : 0.25f;
    CHECK_EQ(y[i], rounded<f16>(double{sum(i)} + rounded<f16>(double{sum(i ^ 1)} * factor)));
  }
}

TEST_CASE("constants and variables of the device") {
  const auto table = reals(8, -1, 1);
  REQUIRE_CUDA(kernels::set_table(table.data(), 8));
  REQUIRE_CUDA(kernels::set_scale(3.0f));
  std::vector<int> index(100);
  for (int i = 0; i < 100; ++i) index[i] = i * 3;
  const DeviceArray<int> di(index);
  const DeviceArray<float> dy(100);
  unsigned before = 0;
  REQUIRE_CUDA(kernels::get_counter(&before));
  kernels::use_globals(di, dy, 100, nullptr);
  unsigned after = 0;
  REQUIRE_CUDA(kernels::get_counter(&after));
  CHECK_EQ(after - before, 100u);
  std::vector<float> wanted(100);
  for (int i = 0; i < 100; ++i) {
    wanted[i] = std::fma(table[index[i] & 7], 3.0f, static_cast<float>((i & 3) * (i & 3))) + 4.0f;
  }
  CHECK_EQ(dy.download(), wanted);
}

TEST_CASE("local arrays, calls, function pointers and recursion") {
  const int n = 160;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i * 37 % 101 - 50;
  const DeviceArray<int> dx(x), dy(n);
  kernels::local_arrays(dx, dy, n, nullptr);
  auto sorted = x;
  for (int i = 0; i < n; i += 8) std::sort(&sorted[i], &sorted[i] + 8);
  CHECK_EQ(dy.download(), sorted);

  const auto values = reals(50, -3, 3);
  const DeviceArray<float> dv(values), dr(50);
  for (int which = 0; which < 2; ++which) {
    kernels::function_pointers(dv, dr, which, 50, nullptr);
    std::vector<double> wanted;
    for (float v : values) {
      wanted.push_back(which == 0 ? 2 * v : std::floor(v) + 10 * (v - std::floor(v)));
    }
    CHECK_LT(distance(dr.download(), wanted), 1e-6);
  }

  const DeviceArray<int> numbers(std::vector<int>{0, 1, 2, 10, 15}), results(5);
  kernels::recursion(numbers, results, 5, nullptr);
  CHECK_EQ(results.download(), std::vector<int>{0, 1, 1, 55, 610});
}

TEST_CASE("dynamic shared memory up to the limit, and above it only when asked") {
  const int n = 15000;
  const auto x = reals(n, -1, 1);
  const DeviceArray<float> dx(x), dy(n);
  kernels::dynamic_shared(dx, dy, n, n * 4, nullptr);
  CHECK_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  REQUIRE_CUDA(kernels::allow_dynamic_shared(n * 4));
  kernels::dynamic_shared(dx, dy, n, n * 4, nullptr);
  CHECK_CUDA(cudaGetLastError());
  std::vector<float> wanted(n);
  for (int i = 0; i < n; ++i) wanted[i] = x[(i + 1) % n];
  CHECK_EQ(dy.download(), wanted);
}

TEST_CASE("printf on the device") {
  kernels::print_line(7, nullptr);  // seen by the test's PASS_REGULAR_EXPRESSION
  CHECK_CUDA(cudaDeviceSynchronize());
}
