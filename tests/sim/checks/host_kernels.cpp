// Leg A: kernels as host functions on the engine, under ASan and UBSan. With an argument the
// program makes that one mistake, which a sanitizer or the engine has to catch.
#include "engine/host_kernel.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace backplane::sim;

namespace {

// A dialect in miniature, as a shared header would define it for the host.
#define KERNEL(name, ...) void name(__VA_ARGS__)
#define SHARED(type, name, count) BACKPLANE_SIM_SHARED(type, name, count)
#define BARRIER() BACKPLANE_SIM_BARRIER()
#define LOCAL_ID static_cast<int>(BACKPLANE_SIM_LOCAL_ID(0))
#define GROUP_ID static_cast<int>(BACKPLANE_SIM_GROUP_ID(0))
#define LOCAL_SIZE static_cast<int>(BACKPLANE_SIM_LOCAL_SIZE(0))
#define GROUP_COUNT static_cast<int>(BACKPLANE_SIM_GROUP_COUNT(0))

constexpr int kBlock = 64;

KERNEL(scale, const float* x, float* y, int n, float factor) {
  for (int i = GROUP_ID * LOCAL_SIZE + LOCAL_ID; i < n; i += LOCAL_SIZE * GROUP_COUNT) {
    y[i] = factor * x[i];
  }
}

float block_sum(float* scratch, float value) {
  scratch[LOCAL_ID] = value;
  BARRIER();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (LOCAL_ID < half) scratch[LOCAL_ID] += scratch[LOCAL_ID + half];
    BARRIER();
  }
  const float sum = scratch[0];
  BARRIER();
  return sum;
}

KERNEL(mean_and_deviation, const float* x, float* y, int columns) {
  SHARED(float, scratch, kBlock);
  SHARED(double, squares, kBlock);
  const float* row = x + static_cast<std::ptrdiff_t>(GROUP_ID) * columns;
  float sum = 0;
  for (int c = LOCAL_ID; c < columns; c += kBlock) sum += row[c];
  const float mean = block_sum(scratch, sum) / static_cast<float>(columns);
  double square = 0;
  for (int c = LOCAL_ID; c < columns; c += kBlock) square += (row[c] - mean) * (row[c] - mean);
  squares[LOCAL_ID] = square;
  BARRIER();
  if (LOCAL_ID != 0) return;
  double total = 0;
  for (double each : squares) total += each;
  y[2 * GROUP_ID] = mean;
  y[2 * GROUP_ID + 1] = static_cast<float>(std::sqrt(total / columns));
}

KERNEL(count_bins, const int* x, int* bins, int n) {
  const int i = GROUP_ID * LOCAL_SIZE + LOCAL_ID;
  if (i < n) host::atomic_add(&bins[x[i] % 8], 1);
}

KERNEL(read_past_end, const float* x, float* y, int n) {
  y[LOCAL_ID] = x[LOCAL_ID + n - kBlock + 1];
}

KERNEL(past_shared, float* y) {
  SHARED(float, first, kBlock);
  SHARED(float, second, kBlock);
  second[LOCAL_ID] = 0;
  float* pointer = first;
  pointer[LOCAL_ID + 1] = 1;  // the last thread writes into the gap
  y[LOCAL_ID] = first[LOCAL_ID] + second[LOCAL_ID];
}

KERNEL(overflow, int* y) {
  y[LOCAL_ID] = 2147483647 - kBlock + 2 + LOCAL_ID;
}

KERNEL(divergent, float* y) {
  if (LOCAL_ID < 8) BARRIER();
  y[LOCAL_ID] = 0;
}

int failures = 0;
void check(bool holds, const char* what) {
  if (!holds) std::printf("FAILED: %s\n", what);
  failures += holds ? 0 : 1;
}

void run_good_kernels(uint32_t seed) {
  host::runner().set_order_seed(seed);
  std::vector<float> x(5 * 100), y(500);
  for (int i = 0; i < 500; ++i) x[i] = static_cast<float>(i % 37) - 10;
  check(BACKPLANE_SIM_RUN(scale, (LaunchShape{{2, 1, 1}, {kBlock, 1, 1}, 0}), x.data(), y.data(),
                          500, 2.0f)
                .fault == Fault::none,
        "scale runs");
  check(y[499] == 2 * x[499] && y[0] == 2 * x[0], "scale computes");

  const LaunchShape rows{{5, 1, 1}, {kBlock, 1, 1}, 0};
  check(BACKPLANE_SIM_RUN(mean_and_deviation, rows, x.data(), y.data(), 100).fault == Fault::none,
        "mean_and_deviation runs");
  for (int r = 0; r < 5; ++r) {
    double sum = 0, squares = 0;
    for (int c = 0; c < 100; ++c) sum += x[r * 100 + c];
    for (int c = 0; c < 100; ++c)
      squares += (x[r * 100 + c] - sum / 100) * (x[r * 100 + c] - sum / 100);
    check(std::fabs(y[2 * r] - sum / 100) < 1e-5, "mean");
    check(std::fabs(y[2 * r + 1] - std::sqrt(squares / 100)) < 1e-5, "deviation");
  }

  std::vector<int> numbers(300), bins(8);
  for (int i = 0; i < 300; ++i) numbers[i] = i * 3;
  const LaunchShape shape{{5, 1, 1}, {kBlock, 1, 1}, 0};
  check(BACKPLANE_SIM_RUN(count_bins, shape, numbers.data(), bins.data(), 300).fault == Fault::none,
        "count_bins runs");
  check(bins[1] == 38 && bins[2] == 37, "count_bins counts");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mistake = argc > 1 ? argv[1] : "";
  const LaunchShape one{{1, 1, 1}, {kBlock, 1, 1}, 0};
  std::vector<float> x(kBlock), y(kBlock);
  std::vector<int> numbers(kBlock);
  Outcome outcome;
  if (mistake == "read-past-end")
    outcome = BACKPLANE_SIM_RUN(read_past_end, one, x.data(), y.data(), kBlock);
  if (mistake == "shared-past-end") outcome = BACKPLANE_SIM_RUN(past_shared, one, y.data());
  if (mistake == "overflow") outcome = BACKPLANE_SIM_RUN(overflow, one, numbers.data());
  if (mistake == "divergent") outcome = BACKPLANE_SIM_RUN(divergent, one, y.data());
  if (outcome.fault != Fault::none) {
    std::printf("%s\n", outcome.message.c_str());
    return 10;
  }
  for (uint32_t seed : {0u, 1u, 2u, 77u}) run_good_kernels(seed);
  return failures == 0 ? 0 : 1;
}
