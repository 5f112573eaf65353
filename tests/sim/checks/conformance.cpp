// sim_conformance: our model of the CUDA runtime, stated with its public API alone. The same
// program has to pass on the simulated card and on a real one; where a real card may do either of
// two things, both are accepted here, and code that relies on one of them is not tested by this.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "checks/support.h"
#include "kernels/kernels.h"

using namespace backplane::sim;
using namespace backplane::sim::checks;

namespace {

constexpr int kCount = 1 << 16;
constexpr size_t kBytes = kCount * sizeof(float);

}  // namespace

TEST_CASE("a call that fails is remembered once, by this thread only") {
  CHECK_EQ(cudaSetDevice(4096), cudaErrorInvalidDevice);
  CHECK_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = cudaPeekAtLastError(); }).join();
  CHECK_EQ(elsewhere, cudaSuccess);
  CHECK_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  CHECK_EQ(cudaGetLastError(), cudaSuccess);
  CHECK_EQ(std::string(cudaGetErrorName(cudaErrorInvalidDevice)), "cudaErrorInvalidDevice");
  CHECK_EQ(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)), "out of memory");
}

TEST_CASE("properties are those a kernel may count on") {
  int count = 0;
  REQUIRE_CUDA(cudaGetDeviceCount(&count));
  REQUIRE_GE(count, 1);
  cudaDeviceProp properties;
  REQUIRE_CUDA(cudaGetDeviceProperties(&properties, 0));
  CHECK_EQ(properties.warpSize, 32);
  CHECK_EQ(properties.maxThreadsPerBlock, 1024);
  CHECK_EQ(properties.maxGridSize[0], 0x7FFFFFFF);
  CHECK_EQ(properties.maxGridSize[1], 65535);
  CHECK_GE(properties.sharedMemPerBlock, 48u << 10);
  CHECK_GE(properties.major, 6);
  int value = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
  CHECK_EQ(value, properties.major);
  REQUIRE_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK_EQ(value, properties.multiProcessorCount);
  size_t free = 0, total = 0;
  REQUIRE_CUDA(cudaMemGetInfo(&free, &total));
  CHECK_LE(free, total);
  char bus[32] = "";
  REQUIRE_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  int device = -1;
  REQUIRE_CUDA(cudaDeviceGetByPCIBusId(&device, bus));
  CHECK_EQ(device, 0);
  int runtime = 0, driver = 0;
  CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
  CHECK_CUDA(cudaDriverGetVersion(&driver));
  CHECK_EQ(runtime / 1000, CUDART_VERSION / 1000);
  CHECK_GE(driver / 1000, runtime / 1000);
}

TEST_CASE("allocation: zero bytes, too much, freed twice") {
  void* p = &p;
  CHECK_CUDA(cudaMalloc(&p, 0));
  CHECK_CUDA(cudaFree(nullptr));
  CHECK_EQ(cudaMalloc(&p, size_t{1} << 50), cudaErrorMemoryAllocation);
  CHECK_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);  // not sticky
  REQUIRE_CUDA(cudaMalloc(&p, 1000));
  CHECK_EQ(reinterpret_cast<uintptr_t>(p) % 256, 0u);
  CHECK_EQ(cudaFree(static_cast<char*>(p) + 256), cudaErrorInvalidValue);
  CHECK_CUDA(cudaFree(p));
  CHECK_EQ(cudaFree(p), cudaErrorInvalidValue);
  CHECK_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK_CUDA(cudaDeviceSynchronize());
}

TEST_CASE("launches with an impossible shape are refused at the call") {
  const DeviceArray<float> x(256);
  kernels::relu(x, x, 0, nullptr);  // a grid of no blocks
  CHECK_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  kernels::dynamic_shared(x, x, 1, 1 << 20, nullptr);
  CHECK_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  CHECK_CUDA(cudaDeviceSynchronize());  // nothing was harmed
}

TEST_CASE("pointers say where they point") {
  const DeviceArray<float> device(16);
  const Pinned pinned(16);
  float ordinary = 0;
  cudaPointerAttributes attributes;
  REQUIRE_CUDA(cudaPointerGetAttributes(&attributes, device.get() + 3));
  CHECK_EQ(attributes.type, cudaMemoryTypeDevice);
  CHECK_EQ(attributes.device, 0);
  REQUIRE_CUDA(cudaPointerGetAttributes(&attributes, static_cast<float*>(pinned)));
  CHECK_EQ(attributes.type, cudaMemoryTypeHost);
  REQUIRE_CUDA(cudaPointerGetAttributes(&attributes, &ordinary));
  CHECK_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_CASE("a pageable source may be changed as soon as the call returns") {
  const Stream stream;
  const DeviceArray<float> x(kCount), y(kCount);
  std::vector<float> source(kCount, 1.0f);
  kernels::spend_time(y, 2000, stream);
  REQUIRE_CUDA(cudaMemcpyAsync(x, source.data(), kBytes, cudaMemcpyHostToDevice, stream));
  std::fill(source.begin(), source.end(), 2.0f);
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(x.download(), std::vector<float>(kCount, 1.0f));
}

TEST_CASE("a pageable target is complete when the call returns") {
  const Stream stream;
  const DeviceArray<float> x(std::vector<float>(kCount, -1.0f)), y(kCount);
  std::vector<float> target(kCount);
  kernels::relu(x, y, kCount, stream);
  REQUIRE_CUDA(cudaMemcpyAsync(target.data(), y, kBytes, cudaMemcpyDeviceToHost, stream));
  CHECK_EQ(target, std::vector<float>(kCount, 0.0f));
  CHECK_CUDA(cudaStreamQuery(stream));
}

TEST_CASE("pinned memory is complete when the stream has been waited for") {
  const Stream stream;
  const DeviceArray<float> x(kCount);
  const Pinned up(kCount), down(kCount);
  for (int i = 0; i < kCount; ++i) up[i] = static_cast<float>(i) - 100;
  REQUIRE_CUDA(cudaMemcpyAsync(x, up, kBytes, cudaMemcpyHostToDevice, stream));
  kernels::relu(x, x, kCount, stream);
  REQUIRE_CUDA(cudaMemcpyAsync(down, x, kBytes, cudaMemcpyDeviceToHost, stream));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  bool equal = true;
  for (int i = 0; i < kCount; ++i) equal = equal && down[i] == std::max(up[i], 0.0f);
  CHECK(equal);
}

TEST_CASE("a kernel reads and writes mapped host memory") {
  float* host = nullptr;
  REQUIRE_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&host), 256, cudaHostAllocMapped));
  float* device = nullptr;
  REQUIRE_CUDA(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0));
  for (int i = 0; i < 64; ++i) host[i] = static_cast<float>(i - 32);
  kernels::relu(device, device, 64, nullptr);
  REQUIRE_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 64; ++i) CHECK_EQ(host[i], std::max(static_cast<float>(i - 32), 0.0f));
  CHECK_CUDA(cudaFreeHost(host));
}

TEST_CASE("registering host memory") {
  std::vector<float> memory(4096);
  REQUIRE_CUDA(cudaHostRegister(memory.data(), 16384, cudaHostRegisterDefault));
  CHECK_EQ(cudaHostRegister(memory.data(), 16384, cudaHostRegisterDefault),
           cudaErrorHostMemoryAlreadyRegistered);
  CHECK_CUDA(cudaHostUnregister(memory.data()));
  CHECK_EQ(cudaHostUnregister(memory.data()), cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();
}

TEST_CASE("copies of rows") {
  const DeviceArray<float> x(std::vector<float>(64, 7.0f));
  std::vector<float> rows(4 * 5);
  for (int i = 0; i < 20; ++i) rows[i] = static_cast<float>(i);
  REQUIRE_CUDA(cudaMemcpy2D(x, 16 * sizeof(float), rows.data(), 5 * sizeof(float),
                            3 * sizeof(float), 4, cudaMemcpyHostToDevice));
  const auto y = x.download();
  for (int i = 0; i < 64; ++i)
    CHECK_EQ(y[i], i % 16 < 3 ? static_cast<float>(i / 16 * 5 + i % 16) : 7.0f);
  CHECK_EQ(cudaMemcpy2D(x, 4, rows.data(), 20, 12, 4, cudaMemcpyHostToDevice),
           cudaErrorInvalidPitchValue);
  cudaGetLastError();
}

TEST_CASE("an event orders two streams") {
  const Stream first, second;
  const Event event(cudaEventDisableTiming);
  const DeviceArray<float> x(std::vector<float>(kCount, -2.0f)), y(kCount), z(kCount);
  kernels::spend_time(z, 2000, first);
  kernels::relu(x, y, kCount, first);
  REQUIRE_CUDA(cudaEventRecord(event, first));
  REQUIRE_CUDA(cudaStreamWaitEvent(second, event, 0));
  kernels::relu(y, z, kCount, second);
  REQUIRE_CUDA(cudaStreamSynchronize(second));
  CHECK_EQ(z.download(), std::vector<float>(kCount, 0.0f));
  CHECK_CUDA(cudaEventQuery(event));
}

TEST_CASE("waiting for an event that was never recorded does nothing") {
  const Stream stream;
  const Event event;
  CHECK_CUDA(cudaStreamWaitEvent(stream, event, 0));
  CHECK_CUDA(cudaEventQuery(event));
  CHECK_CUDA(cudaEventSynchronize(event));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}

TEST_CASE("the legacy stream waits for blocking streams, and they for it") {
  const Stream blocking(cudaStreamDefault);
  const DeviceArray<float> x(std::vector<float>(kCount, -3.0f)), y(kCount), z(kCount);
  kernels::spend_time(y, 2000, blocking);
  kernels::relu(x, y, kCount, blocking);
  kernels::relu(y, z, kCount, nullptr);
  kernels::relu(z, x, kCount, blocking);
  REQUIRE_CUDA(cudaStreamSynchronize(blocking));
  CHECK_EQ(x.download(), std::vector<float>(kCount, 0.0f));
}

TEST_CASE("waiting for the legacy stream waits for what blocking streams did before") {
  const Stream blocking(cudaStreamDefault);
  const DeviceArray<float> x(std::vector<float>(kCount, -3.0f)), y(kCount), z(kCount);
  kernels::relu(x, y, kCount, blocking);
  kernels::relu(y, z, kCount, nullptr);
  REQUIRE_CUDA(cudaStreamSynchronize(nullptr));
  CHECK_EQ(z.download(), std::vector<float>(kCount, 0.0f));
}

TEST_CASE("freeing memory waits for the work that uses it") {
  const Stream stream;
  const DeviceArray<float> y(kCount);
  float* x = nullptr;
  REQUIRE_CUDA(cudaMalloc(reinterpret_cast<void**>(&x), kBytes));
  REQUIRE_CUDA(cudaMemsetAsync(x, 0, kBytes, stream));
  kernels::relu(x, y, kCount, stream);
  CHECK_CUDA(cudaFree(x));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(y.download(), std::vector<float>(kCount, 0.0f));
}

TEST_CASE("time between events") {
  const Stream stream;
  const Event begin, end, untimed(cudaEventDisableTiming);
  float milliseconds = -1;
  CHECK_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorInvalidResourceHandle);
  const DeviceArray<float> y(32);
  REQUIRE_CUDA(cudaEventRecord(begin, stream));
  kernels::spend_time(y, 1000, stream);
  REQUIRE_CUDA(cudaEventRecord(end, stream));
  REQUIRE_CUDA(cudaEventRecord(untimed, stream));
  REQUIRE_CUDA(cudaEventSynchronize(untimed));
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK_GT(milliseconds, 0);
  CHECK_LT(milliseconds, 60000);
  CHECK_EQ(cudaEventElapsedTime(&milliseconds, begin, untimed), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
}

TEST_CASE("polling a stream ends in success") {
  const Stream stream;
  const DeviceArray<float> y(32);
  for (int i = 0; i < 10; ++i) kernels::spend_time(y, 1000, stream);
  cudaError_t error = cudaErrorNotReady;
  while (error == cudaErrorNotReady) error = cudaStreamQuery(stream);
  CHECK_CUDA(error);
  cudaGetLastError();
}

TEST_CASE("host functions run in stream order") {
  const Stream stream;
  std::vector<int> order;
  const auto push = [](void* data) {
    auto* list = static_cast<std::vector<int>*>(data);
    list->push_back(static_cast<int>(list->size()));
  };
  for (int i = 0; i < 3; ++i) REQUIRE_CUDA(cudaLaunchHostFunc(stream, push, &order));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(order, std::vector<int>{0, 1, 2});
}

TEST_CASE("stream-ordered memory") {
  int supported = 0;
  REQUIRE_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  if (supported == 0) return;
  const Stream stream;
  float* x = nullptr;
  REQUIRE_CUDA(cudaMallocAsync(reinterpret_cast<void**>(&x), kBytes, stream));
  REQUIRE_CUDA(cudaMemsetAsync(x, 0, kBytes, stream));
  kernels::relu(x, x, kCount, stream);
  std::vector<float> y(kCount, 1.0f);
  REQUIRE_CUDA(cudaMemcpyAsync(y.data(), x, kBytes, cudaMemcpyDeviceToHost, stream));
  REQUIRE_CUDA(cudaFreeAsync(x, stream));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(y, std::vector<float>(kCount, 0.0f));
}

TEST_CASE("kernels launched by name, their attributes and occupancy") {
  const DeviceArray<float> x(std::vector<float>(256, -1.0f)), y(256), z(256);
  const float* source = x;
  float* target = y;
  int n = 256;
  void* arguments[] = {&source, &target, &n};
  REQUIRE_CUDA(
      cudaLaunchKernel(kernels::relu_function(), dim3(2), dim3(128), arguments, 0, nullptr));
  target = z;  // arguments are copied at the call
  CHECK_EQ(y.download(), std::vector<float>(256, 0.0f));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(128);
  REQUIRE_CUDA(cudaLaunchKernelExC(&config, kernels::relu_function(), arguments));
  CHECK_EQ(z.download(), std::vector<float>(256, 0.0f));

  cudaFuncAttributes attributes;
  REQUIRE_CUDA(cudaFuncGetAttributes(&attributes, kernels::relu_function()));
  CHECK_GT(attributes.maxThreadsPerBlock, 0);
  CHECK_EQ(attributes.sharedSizeBytes, 0u);
  int blocks = 0;
  REQUIRE_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::relu_function(), 128, 0));
  CHECK_GE(blocks, 1);
  int none = 0;
  CHECK_EQ(cudaFuncGetAttributes(&attributes, &none), cudaErrorInvalidDeviceFunction);
  CHECK_EQ(cudaLaunchKernel(kernels::relu_function(), dim3(1), dim3(2048), arguments, 0, nullptr),
           cudaErrorInvalidConfiguration);
  cudaGetLastError();
}

TEST_CASE("a kernel may be allowed more dynamic shared memory, within limits") {
  REQUIRE_CUDA(kernels::allow_dynamic_shared(1024));
  CHECK_EQ(kernels::allow_dynamic_shared(1 << 30), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("the second device: its memory, its streams, copies between") {
  int count = 0;
  REQUIRE_CUDA(cudaGetDeviceCount(&count));
  if (count < 2) return;
  const DeviceArray<float> x(std::vector<float>(kCount, 4.0f));
  const Stream stream_of_first;
  REQUIRE_CUDA(cudaSetDevice(1));
  {
    const DeviceArray<float> y(kCount);
    REQUIRE_CUDA(cudaMemcpyPeerAsync(y, 1, x, 0, kBytes, nullptr));
    CHECK_EQ(y.download(), std::vector<float>(kCount, 4.0f));
    kernels::relu(y, y, kCount, stream_of_first);  // a stream of another device
    CHECK_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    const Event event_of_second;
    CHECK_EQ(cudaEventRecord(event_of_second, stream_of_first), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
  }
  REQUIRE_CUDA(cudaSetDevice(0));
}

// Last, and only on request, as no process recovers from it.
TEST_CASE("a fault is sticky" *
          doctest::skip(std::getenv("BACKPLANE_CONFORMANCE_FAULT") == nullptr)) {
  const std::string which = std::getenv("BACKPLANE_CONFORMANCE_FAULT");
  const DeviceArray<float> x(256);
  static float host_values[256];
  cudaError_t expected = cudaErrorIllegalAddress;
  if (which == "host-pointer") {
    kernels::relu(host_values, x, 256, nullptr);
  } else if (which == "misaligned") {
    kernels::misaligned(reinterpret_cast<const char*>(x.get()), x, nullptr);
    expected = cudaErrorMisalignedAddress;
  } else {
    kernels::failed_assertion(1, nullptr);
    expected = cudaErrorAssert;
  }
  CHECK_EQ(cudaDeviceSynchronize(), expected);
  CHECK_EQ(cudaGetLastError(), expected);
  CHECK_EQ(cudaGetLastError(), expected);  // asking does not clear it
  void* p = nullptr;
  CHECK_EQ(cudaMalloc(&p, 16), expected);
  CHECK_EQ(cudaStreamSynchronize(nullptr), expected);
}
