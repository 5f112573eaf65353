// Kernels with shared memory, shuffles, votes and atomics against host loops.
#include <algorithm>
#include <array>
#include <numeric>

#include "checks/support.h"
#include "kernels/kernels.h"

using namespace backplane::sim;
using namespace backplane::sim::checks;

TEST_CASE("tiled product, also where the tiles do not divide") {
  for (const auto& [m, n, k] :
       {std::array{32, 48, 64}, std::array{17, 33, 31}, std::array{1, 5, 100}}) {
    const auto a = reals(static_cast<size_t>(m * k), -1, 1);
    const auto b = reals(static_cast<size_t>(k * n), -1, 1, 2);
    const DeviceArray<float> da(a), db(b), dc(static_cast<size_t>(m * n));
    kernels::gemm(da, db, dc, m, n, k, nullptr);
    std::vector<float> wanted(static_cast<size_t>(m * n));
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int p = 0; p < k; ++p) sum = std::fma(a[i * k + p], b[p * n + j], sum);
        wanted[i * n + j] = sum;
      }
    }
    CHECK_EQ(dc.download(), wanted);
  }
}

TEST_CASE("softmax of rows of odd width") {
  const int rows = 5;
  const int columns = 203;
  const auto x = reals(rows * columns, -5, 5);
  const DeviceArray<float> dx(x), dy(rows * columns);
  kernels::softmax(dx, dy, rows, columns, nullptr);
  std::vector<double> wanted(rows * columns);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += std::exp(x[r * columns + c]);
    for (int c = 0; c < columns; ++c) wanted[r * columns + c] = std::exp(x[r * columns + c]) / sum;
  }
  CHECK_LT(distance(dy.download(), wanted), 1e-6);
}

TEST_CASE("normalisation by one warp for each row; a part of the last block leaves early") {
  const int rows = 6;
  const int columns = 77;
  const auto x = reals(rows * columns, -2, 3);
  const auto weight = reals(columns, 0, 2, 2);
  const DeviceArray<float> dx(x), dw(weight), dy(rows * columns);
  kernels::layer_norm(dx, dw, dy, rows, columns, nullptr);
  std::vector<double> wanted(rows * columns);
  for (int r = 0; r < rows; ++r) {
    const float* row = &x[r * columns];
    const double mean = std::accumulate(row, row + columns, 0.0) / columns;
    double squares = 0;
    for (int c = 0; c < columns; ++c) squares += (row[c] - mean) * (row[c] - mean);
    for (int c = 0; c < columns; ++c) {
      wanted[r * columns + c] = (row[c] - mean) / std::sqrt(squares / columns + 1e-5) * weight[c];
    }
  }
  CHECK_LT(distance(dy.download(), wanted), 1e-5);
}

TEST_CASE("transpose through a padded tile") {
  const int rows = 45;
  const int columns = 70;
  const auto x = reals(rows * columns, -1, 1);
  const DeviceArray<float> dx(x), dy(rows * columns);
  kernels::transpose(dx, dy, rows, columns, nullptr);
  std::vector<float> wanted(rows * columns);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) wanted[c * rows + r] = x[r * columns + c];
  }
  CHECK_EQ(dy.download(), wanted);
}

TEST_CASE("asynchronous copies to shared memory") {
  const auto x = reals(4 * 500, -1, 1);
  const DeviceArray<float> dx(x), dy(4 * 500);
  kernels::copy_through_shared(reinterpret_cast<const float4*>(dx.get()),
                               reinterpret_cast<float4*>(dy.get()), 500, nullptr);
  CHECK_EQ(dy.download(), x);
}

template <class T>
static void check_sums(const std::vector<T>& x, int rows) {
  const int columns = static_cast<int>(x.size()) / rows;
  const DeviceArray<T> dx(x), dy(static_cast<size_t>(rows));
  kernels::sum_rows(dx.get(), dy.get(), rows, columns, nullptr);
  std::vector<double> wanted;
  for (int r = 0; r < rows; ++r) {
    wanted.push_back(std::accumulate(&x[r * columns], &x[r * columns] + columns, 0.0));
  }
  CHECK_LT(distance(dy.download(), wanted), 1e-5);
}

TEST_CASE("sums of rows for three types, through shuffles and dynamic shared memory") {
  check_sums(reals(4 * 301, -1, 1), 4);
  const auto x = reals(3 * 1000, -1, 1);
  check_sums(std::vector<double>(x.begin(), x.end()), 3);
  std::vector<int> numbers(2 * 500);
  std::iota(numbers.begin(), numbers.end(), -300);
  check_sums(numbers, 2);
}

TEST_CASE("histogram with atomics in shared memory, blocks that no warp fills") {
  std::vector<int> x(1000), wanted(16);
  for (int i = 0; i < 1000; ++i) ++wanted[(x[i] = i * 7 % 91) & 15];
  const DeviceArray<int> dx(x), bins(std::vector<int>(16));
  kernels::histogram(dx, bins, 1000, nullptr);
  CHECK_EQ(bins.download(), wanted);
}

TEST_CASE("atomics of every kind") {
  kernels::AtomicResults start{};
  start.bits_and = -1;
  const DeviceArray<kernels::AtomicResults> results(std::vector{start});
  kernels::atomics(results, 200, nullptr);
  const auto r = results.download()[0];
  CHECK_EQ(r.add, 199 * 200 / 2);
  CHECK_EQ(r.minimum, -199);
  CHECK_EQ(r.maximum, 3 * 199);
  CHECK_EQ(r.exchanged, 5);
  CHECK_EQ(r.bits_and, 0);
  CHECK_EQ(r.bits_or, -1);
  int folded = 0;
  for (int i = 0; i < 200; ++i) folded ^= i;
  CHECK_EQ(r.bits_xor, folded);
  CHECK_EQ(r.increment, 200 % 7);
  CHECK_EQ(r.wide, 200ull << 33);
  CHECK_EQ(r.real, 100.0f);
  CHECK_EQ(r.precise, 50.0);
}

TEST_CASE("votes, matches, segmented shuffles and counting barriers") {
  const int n = 128;
  std::vector<int> x(n);
  for (int i = 0; i < n; ++i) x[i] = i * 5 % 13;
  const DeviceArray<int> dx(x);
  const DeviceArray<uint32_t> dy(6 * n);
  kernels::warp_votes(dx, dy, n, nullptr);
  const auto y = dy.download();
  const auto odd =
      static_cast<uint32_t>(std::count_if(x.begin(), x.end(), [](int v) { return v & 1; }));
  for (int i = 0; i < n; ++i) {
    const int* warp = &x[i / 32 * 32];
    const int lane = i % 32;
    uint32_t ballot = 0, match = 0, total = 0;
    for (int j = 0; j < 32; ++j) {
      ballot |= static_cast<uint32_t>(warp[j] > 3) << j;
      match |= static_cast<uint32_t>((warp[j] & 3) == (x[i] & 3)) << j;
      total += static_cast<uint32_t>(warp[j]);
    }
    const bool any = std::find(warp, warp + 32, 7) != warp + 32;
    CHECK_EQ(y[6 * i], ballot);
    CHECK_EQ(y[6 * i + 1], (any ? 1u : 0u) + 2u);
    CHECK_EQ(y[6 * i + 2], match);
    CHECK_EQ(y[6 * i + 3], total);
    CHECK_EQ(y[6 * i + 4], static_cast<uint32_t>(warp[lane / 8 * 8 + (lane + 5) % 8]));
    CHECK_EQ(y[6 * i + 5], odd);
  }
}

TEST_CASE("running sums by warps that only fence among themselves") {
  const auto x = reals(100, -1, 1);
  const DeviceArray<float> dx(x), dy(100);
  kernels::warp_scan(dx, dy, 100, nullptr);
  std::vector<float> wanted(100);
  for (int i = 0; i < 100; ++i) wanted[i] = x[i] + (i % 32 == 0 ? 0 : wanted[i - 1]);
  CHECK_LT(distance(dy.download(), wanted), 1e-5);
}

TEST_CASE("arg-max by shuffles, first of equals") {
  auto x = reals(4 * 100, -1, 1);
  x[33] = x[77] = 5;
  const DeviceArray<float> dx(x);
  const DeviceArray<int> index(4);
  kernels::arg_max(dx, index, 4, 100, nullptr);
  const auto got = index.download();
  CHECK_EQ(got[0], 33);
  for (int r = 1; r < 4; ++r) {
    CHECK_EQ(got[r], std::max_element(&x[r * 100], &x[r * 100] + 100) - &x[r * 100]);
  }
}

TEST_CASE("the last block adds what the others left behind a fence") {
  const auto x = reals(3000, -1, 1);
  const DeviceArray<float> dx(x), partial(5), y(1);
  const DeviceArray<unsigned> counter(std::vector<unsigned>(1));
  for (int round = 0; round < 2; ++round) {
    kernels::grid_sum(dx, partial, counter, y, 3000, nullptr);
    const double wanted = std::accumulate(x.begin(), x.end(), 0.0);
    CHECK_LT(std::fabs(y.download()[0] - wanted), 1e-3);
  }
}
