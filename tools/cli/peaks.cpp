// Peaks: the best of several short runs of all threads at once.
#include "peaks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <functional>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "cpu/peak.h"

namespace backplane::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Does `work`, which returns how much it did, on each thread at once, and returns the greatest sum
// a second. The best run is the one that neighbours on the machine disturbed least.
double best_rate(std::uint32_t threads, int runs,
                 const std::function<std::uint64_t(std::uint32_t thread)>& work) {
  std::barrier together(threads);
  std::vector<double> rates(static_cast<std::size_t>(threads) * runs);
  std::vector<std::thread> team;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] {
      for (int run = 0; run < runs; ++run) {
        together.arrive_and_wait();
        const auto start = Clock::now();
        const std::uint64_t done = work(thread);
        const std::chrono::duration<double> elapsed = Clock::now() - start;
        rates[static_cast<std::size_t>(run) * threads + thread] =
            static_cast<double>(done) / elapsed.count();
      }
    });
  }
  for (std::thread& member : team) member.join();
  double best = 0;
  for (int run = 0; run < runs; ++run) {
    const auto first = rates.begin() + std::ptrdiff_t{run} * threads;
    best = std::max(best, std::accumulate(first, first + threads, 0.0));
  }
  return best;
}

double multiply_add_peak(std::uint32_t threads) {
  constexpr std::uint64_t rounds = 2'000'000;  // some milliseconds
  std::vector<float> sinks(threads);
  return best_rate(threads, 15, [&](std::uint32_t thread) {
    float value = 0;
    const std::uint64_t done = cpu::run_multiply_adds(rounds, &value);
    sinks[thread] = value;
    return done;
  });
}

double copy_peak(std::uint32_t threads) {
  // Two blocks for each thread, together larger than its share of any cache.
  constexpr std::size_t bytes = std::size_t{48} << 20;
  constexpr std::align_val_t huge_page{std::size_t{2} << 20};  // small ones are slow to get
  struct Aligned {
    explicit Aligned(std::size_t size)
        : data(static_cast<std::byte*>(::operator new(size, huge_page))) {
      madvise(data, size, MADV_HUGEPAGE);
      std::fill_n(data, size, std::byte{1});
    }
    Aligned(const Aligned&) = delete;
    Aligned& operator=(const Aligned&) = delete;
    ~Aligned() { ::operator delete(data, huge_page); }
    std::byte* data;
  };
  const Aligned from(threads * bytes), to(threads * bytes);
  return best_rate(threads, 5, [&](std::uint32_t thread) {
    return cpu::stream_copy(from.data + thread * bytes, to.data + thread * bytes, bytes);
  });
}

}  // namespace

std::optional<Peaks> measure_peaks(Device device) {
  if (device.kind() != DeviceKind::cpu) return std::nullopt;
  const std::uint32_t count = threads();
  return Peaks{count, multiply_add_peak(count), copy_peak(count)};
}

}  // namespace backplane::cli
