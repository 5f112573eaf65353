// What only the simulated card does: counters, injected failures, memory that the host may not
// touch, two devices that must not mix. Its model of the runtime itself is in conformance.cpp.
#include <cublas_v2.h>

#include <csetjmp>
#include <csignal>
#include <cstring>

#include "checks/support.h"
#include "kernels/kernels.h"
#include "runtime/address_space.h"
#include "sim.h"

using namespace backplane::sim;
using namespace backplane::sim::checks;

namespace {

sigjmp_buf escape;
void on_fault(int) {
  siglongjmp(escape, 1);
}

bool host_access_faults(const float* address) {
  struct sigaction action {};
  struct sigaction old {};
  action.sa_handler = on_fault;
  sigaction(SIGSEGV, &action, &old);
  bool faulted = true;
  if (sigsetjmp(escape, 1) == 0) {
    const volatile float value = *address;
    (void)value;
    faulted = false;
  }
  sigaction(SIGSEGV, &old, nullptr);
  return faulted;
}

}  // namespace

TEST_CASE("these tests run on the simulated card") {
  REQUIRE(present());
}

TEST_CASE("the host cannot touch device memory") {
  const DeviceArray<float> x(16);
  CHECK(host_access_faults(x.get()));
  const float ordinary = 0;
  CHECK_FALSE(host_access_faults(&ordinary));
}

TEST_CASE("new device memory is full of NaN") {
  const DeviceArray<float> x(100);
  for (float value : x.download()) CHECK(std::isnan(value));
}

TEST_CASE("shared memory that nobody has written is NaN in every block") {
  for (int round = 0; round < 2; ++round) {
    const DeviceArray<float> y(std::vector<float>(32, 1.0f));
    kernels::dynamic_shared(y, y, 32, 128, nullptr);  // leaves numbers behind
    kernels::unwritten_shared(y, nullptr);
    const auto got = y.download();
    for (int i = 0; i < 32; ++i) CHECK_EQ(std::isnan(got[i]), i % 2 == 1);
  }
}

TEST_CASE("copies are counted by direction and size") {
  const DeviceArray<float> x(100), y(100);
  std::vector<float> host(100);
  REQUIRE(reset_statistics());
  REQUIRE_CUDA(cudaMemcpy(x, host.data(), 400, cudaMemcpyHostToDevice));
  REQUIRE_CUDA(cudaMemcpy(y, x, 100, cudaMemcpyDeviceToDevice));
  REQUIRE_CUDA(cudaMemset(y, 0, 400));
  kernels::relu(x, y, 100, nullptr);
  const auto before = statistics().value();
  CHECK_EQ(before.device_to_host, 0u);  // as a training step has to end
  REQUIRE_CUDA(cudaMemcpy(host.data(), y, 200, cudaMemcpyDeviceToHost));
  const auto now = statistics().value();
  CHECK_EQ(now.host_to_device, 1u);
  CHECK_EQ(now.host_to_device_bytes, 400u);
  CHECK_EQ(now.device_to_host, 1u);
  CHECK_EQ(now.device_to_host_bytes, 200u);
  CHECK_EQ(now.device_to_device_bytes, 100u);
  CHECK_EQ(now.memsets, 1u);
  CHECK_EQ(now.launches, 1u);
  CHECK_GE(now.live_bytes, 800u);
}

namespace {

// A small piece of work with several allocations; frees everything, whatever fails.
cudaError_t work() {
  float* x = nullptr;
  float* y = nullptr;
  void* pinned = nullptr;
  cublasHandle_t handle = nullptr;
  cudaError_t error = cudaMalloc(reinterpret_cast<void**>(&x), 1024);
  if (error == cudaSuccess) error = cudaMallocHost(&pinned, 1024);
  if (error == cudaSuccess) error = cudaMalloc(reinterpret_cast<void**>(&y), 1024);
  if (error == cudaSuccess && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    error = cudaErrorMemoryAllocation;
  }
  if (error == cudaSuccess) kernels::relu(x, y, 256, nullptr);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (handle != nullptr) cublasDestroy(handle);
  cudaFreeHost(pinned);
  cudaFree(y);
  cudaFree(x);
  return error;
}

}  // namespace

TEST_CASE("each allocation in turn fails, and nothing leaks") {
  const auto before = statistics().value();
  uint64_t failures = 0;
  for (uint64_t n = 1;; ++n) {
    REQUIRE(fail_allocation(n));
    const cudaError_t error = work();
    if (error == cudaSuccess) break;
    CHECK_EQ(error, cudaErrorMemoryAllocation);
    ++failures;
    cudaGetLastError();
    CHECK_EQ(statistics().value().live_allocations, before.live_allocations);
    CHECK_EQ(statistics().value().live_objects, before.live_objects);
  }
  CHECK_EQ(failures, 4u);
  REQUIRE(fail_allocation(0));
}

TEST_CASE("memory is limited, and what is freed may be had again") {
  size_t free = 0, total = 0;
  REQUIRE_CUDA(cudaMemGetInfo(&free, &total));
  for (int round = 0; round < 4; ++round) {
    void* p = nullptr;
    REQUIRE_CUDA(cudaMalloc(&p, free / 2));
    void* too_much = nullptr;
    CHECK_EQ(cudaMalloc(&too_much, free), cudaErrorMemoryAllocation);
    CHECK_CUDA(cudaFree(p));
  }
  cudaGetLastError();
}

TEST_CASE("addresses come back only when the range has been used up") {
  AddressSpace space(2, 1 << 20);
  const auto take = [&] { return space.allocate(1, 100 << 10, Allocation::Kind::device); };
  void* first = take();
  REQUIRE_NE(first, nullptr);
  space.release(*space.find(first));
  void* second = take();
  CHECK_NE(second, first);
  CHECK_EQ(space.device_of(second), 1);
  void* last = nullptr;
  for (int i = 0; i < 20; ++i) {
    last = take();
    if (last == first) break;
    REQUIRE_NE(last, nullptr);
    space.release(*space.find(last));
  }
  CHECK_EQ(last, first);
  CHECK_EQ(space.allocate(1, 1 << 20, Allocation::Kind::device), nullptr);
  CHECK_FALSE(space.problem(reinterpret_cast<uint64_t>(first) + (100 << 10), 1).empty());
}

TEST_CASE("a graph runs its branches in any order, with new arguments when told") {
  const DeviceArray<float> x(std::vector<float>(64, 3.0f)), y(64), z(std::vector<float>(64, 8.0f));
  cudaStream_t stream = nullptr;
  REQUIRE_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  kernels::relu(x, y, 64, stream);
  REQUIRE_CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = nullptr;
  REQUIRE_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  reset_statistics();
  REQUIRE_CUDA(cudaGraphLaunch(exec, stream));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(y.download()[5], 3);
  CHECK_EQ(statistics().value().graph_launches, 1u);
  CHECK_EQ(statistics().value().launches, 1u);

  cudaGraph_t second = nullptr;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  kernels::relu(z, y, 64, stream);
  REQUIRE_CUDA(cudaStreamEndCapture(stream, &second));
  cudaGraphExecUpdateResultInfo info;
  REQUIRE_CUDA(cudaGraphExecUpdate(exec, second, &info));
  REQUIRE_CUDA(cudaGraphLaunch(exec, stream));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(y.download()[5], 8);
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  CHECK_CUDA(cudaGraphDestroy(second));
  CHECK_CUDA(cudaStreamDestroy(stream));
}

TEST_CASE("peer memory needs permission, a lost device stays lost, the other goes on") {
  int count = 0;
  REQUIRE_CUDA(cudaGetDeviceCount(&count));
  REQUIRE_EQ(count, 3);
  const DeviceArray<float> x(std::vector<float>(64, 1.0f));
  REQUIRE_CUDA(cudaSetDevice(1));
  {
    const DeviceArray<float> y(64);
    CHECK_CUDA(cudaDeviceEnablePeerAccess(0, 0));
    CHECK_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessAlreadyEnabled);
    kernels::relu(x, y, 64, nullptr);
    CHECK_EQ(y.download()[3], 1);
    CHECK_CUDA(cudaDeviceDisablePeerAccess(0));
    cudaGetLastError();
  }
  REQUIRE_CUDA(cudaSetDevice(2));
  REQUIRE(lose_device(2, 3));
  cudaError_t error = cudaSuccess;
  int calls = 0;
  for (; error == cudaSuccess; ++calls) error = cudaDeviceSynchronize();
  CHECK_EQ(error, cudaErrorECCUncorrectable);
  CHECK_EQ(calls, 3);
  CHECK_EQ(cudaDeviceSynchronize(), cudaErrorECCUncorrectable);
  CHECK_EQ(cudaGetLastError(), cudaErrorECCUncorrectable);
  CHECK_CUDA(cudaSetDevice(0));
  CHECK_CUDA(cudaDeviceSynchronize());
}
