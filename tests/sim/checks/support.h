// Small tools for the tests: device arrays, random numbers, comparisons.
#pragma once

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace backplane::sim::checks {

#define CHECK_CUDA(call) CHECK_EQ((call), cudaSuccess)
#define REQUIRE_CUDA(call) REQUIRE_EQ((call), cudaSuccess)

// Device memory that is freed with its owner.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    REQUIRE_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
  }
  // Waits: cudaMemcpy from pageable memory may return before the last bytes are on the device, and
  // a non-blocking stream would not wait for them.
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    REQUIRE_CUDA(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  operator T*() const { return data_; }
  std::vector<T> download() const {
    std::vector<T> values(count_);
    CHECK_CUDA(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

class Stream {
 public:
  explicit Stream(unsigned flags = cudaStreamNonBlocking) {
    REQUIRE_CUDA(cudaStreamCreateWithFlags(&handle_, flags));
  }
  ~Stream() { cudaStreamDestroy(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = 0) { REQUIRE_CUDA(cudaEventCreateWithFlags(&handle_, flags)); }
  ~Event() { cudaEventDestroy(handle_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return handle_; }

 private:
  cudaEvent_t handle_ = nullptr;
};

class Pinned {
 public:
  explicit Pinned(size_t count) {
    REQUIRE_CUDA(cudaMallocHost(reinterpret_cast<void**>(&data_), count * sizeof(float)));
  }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  operator float*() const { return data_; }

 private:
  float* data_ = nullptr;
};

// The same numbers on every machine: a linear congruence, upper bits.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2654435761u + 1) {}
  uint32_t word() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(state_ >> 32);
  }
  float real(float low, float high) {
    return low + (high - low) * static_cast<float>(word() >> 8) / 16777216.0f;
  }

 private:
  uint64_t state_;
};

inline std::vector<float> reals(std::size_t count, float low, float high, uint64_t seed = 1) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.real(low, high);
  return values;
}

// The largest distance between two results, relative to 1 + |wanted|; infinity where only one of
// them is a number.
template <class A, class B>
double distance(const std::vector<A>& got, const std::vector<B>& wanted) {
  REQUIRE_EQ(got.size(), wanted.size());
  REQUIRE_FALSE(got.empty());
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double a = static_cast<double>(got[i]);
    const double b = static_cast<double>(wanted[i]);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a == b) continue;
    const double apart = std::fabs(a - b) / (1 + std::fabs(b));
    worst = std::isfinite(apart) ? std::max(worst, apart) : std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace backplane::sim::checks
