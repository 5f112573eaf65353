// sim_conformance, second part: capture and graphs. The same rules as in conformance.cpp hold: only
// the public API, and everything here has to be true of a real card as well.
#include <algorithm>
#include <thread>

#include "checks/support.h"
#include "kernels/kernels.h"

using namespace backplane::sim;
using namespace backplane::sim::checks;

namespace {

constexpr int kCount = 1 << 16;
constexpr size_t kBytes = kCount * sizeof(float);

bool is_one_of(cudaError_t got, std::initializer_list<cudaError_t> allowed) {
  return std::find(allowed.begin(), allowed.end(), got) != allowed.end();
}

cudaGraphExec_t captured_steps(cudaStream_t stream, const float* x, float* y, float* z) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  kernels::relu(x, y, kCount, stream);
  REQUIRE_CUDA(cudaMemcpyAsync(z, y, kBytes, cudaMemcpyDeviceToDevice, stream));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CHECK_CUDA(cudaStreamIsCapturing(stream, &status));
  CHECK_EQ(status, cudaStreamCaptureStatusActive);
  REQUIRE_CUDA(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  CHECK_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK_EQ(nodes, 2u);
  REQUIRE_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CHECK_CUDA(cudaGraphDestroy(graph));
  return exec;
}

// The nodes that the next captured work would depend on.
std::vector<cudaGraphNode_t> last_nodes(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
#if CUDART_VERSION >= 13000
  CHECK_CUDA(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, nullptr, &count));
#else
  CHECK_CUDA(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &nodes, &count));
#endif
  CHECK_EQ(status, cudaStreamCaptureStatusActive);
  return {nodes, nodes + count};
}

}  // namespace

TEST_CASE("a captured launch is the one node that later work depends on") {
  const Stream stream;
  const DeviceArray<float> x(std::vector<float>(kCount, 2.0f)), y(kCount), z(kCount);
  cudaGraph_t graph = nullptr;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK(last_nodes(stream).empty());
  kernels::relu(x, y, kCount, stream);
  const auto first = last_nodes(stream);
  kernels::relu(y, z, kCount, stream);
  const auto second = last_nodes(stream);
  REQUIRE_EQ(first.size(), 1u);
  REQUIRE_EQ(second.size(), 1u);
  CHECK(first[0] != second[0]);
  cudaGraphNodeType type;
  CHECK_CUDA(cudaGraphNodeGetType(first[0], &type));
  CHECK_EQ(type, cudaGraphNodeTypeKernel);
  REQUIRE_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaGraphDestroy(graph));
}

TEST_CASE("a captured graph runs only when launched, and as often") {
  const Stream stream;
  const std::vector<float> zeros(kCount);
  const DeviceArray<float> x(std::vector<float>(kCount, 5.0f)), y(zeros), z(zeros);
  cudaGraphExec_t exec = captured_steps(stream, x, y, z);
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(z.download(), std::vector<float>(kCount, 0.0f));
  for (float value : {5.0f, 9.0f}) {
    const std::vector<float> next(kCount, value);
    REQUIRE_CUDA(cudaMemcpyAsync(x, next.data(), kBytes, cudaMemcpyHostToDevice, stream));
    REQUIRE_CUDA(cudaGraphLaunch(exec, stream));
    REQUIRE_CUDA(cudaStreamSynchronize(stream));
    CHECK_EQ(z.download(), next);
  }
  CHECK_CUDA(cudaGraphExecDestroy(exec));
}

TEST_CASE("a kernel node takes new arguments without a new graph") {
  const Stream stream;
  const DeviceArray<float> x(std::vector<float>(kCount, 2.0f)),
      other(std::vector<float>(kCount, 6.0f));
  const DeviceArray<float> y(kCount);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  kernels::relu(x, y, kCount, stream);
  REQUIRE_CUDA(cudaStreamEndCapture(stream, &graph));
  REQUIRE_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphNode_t node = nullptr;
  size_t count = 1;
  REQUIRE_CUDA(cudaGraphGetNodes(graph, &node, &count));
  REQUIRE_EQ(count, 1u);
  cudaGraphNodeType type;
  REQUIRE_CUDA(cudaGraphNodeGetType(node, &type));
  CHECK_EQ(type, cudaGraphNodeTypeKernel);
  const float* source = other;
  float* target = y;
  int n = kCount;
  void* arguments[] = {&source, &target, &n};
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(kernels::relu_function());
  parameters.gridDim = dim3(kCount / 128);
  parameters.blockDim = dim3(128);
  parameters.kernelParams = arguments;
  REQUIRE_CUDA(cudaGraphExecKernelNodeSetParams(exec, node, &parameters));
  REQUIRE_CUDA(cudaGraphLaunch(exec, stream));
  REQUIRE_CUDA(cudaStreamSynchronize(stream));
  CHECK_EQ(y.download(), std::vector<float>(kCount, 6.0f));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
}

TEST_CASE("a capture over two streams joined by events") {
  const Stream first, second;
  const Event fork(cudaEventDisableTiming), join(cudaEventDisableTiming);
  const DeviceArray<float> x(std::vector<float>(kCount, -5.0f)), y(kCount), z(kCount);
  REQUIRE_CUDA(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
  REQUIRE_CUDA(cudaEventRecord(fork, first));
  REQUIRE_CUDA(cudaStreamWaitEvent(second, fork, 0));
  kernels::relu(x, y, kCount, first);
  kernels::relu(x, z, kCount, second);
  REQUIRE_CUDA(cudaEventRecord(join, second));
  REQUIRE_CUDA(cudaStreamWaitEvent(first, join, 0));
  cudaGraph_t graph = nullptr;
  REQUIRE_CUDA(cudaStreamEndCapture(first, &graph));
  cudaGraphExec_t exec = nullptr;
  REQUIRE_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  REQUIRE_CUDA(cudaGraphLaunch(exec, first));
  REQUIRE_CUDA(cudaStreamSynchronize(first));
  CHECK_EQ(y.download(), std::vector<float>(kCount, 0.0f));
  CHECK_EQ(z.download(), std::vector<float>(kCount, 0.0f));
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
}

namespace {

// Begins a capture, spoils it, and says how the spoiling call and the end answered.
template <class Spoil>
std::pair<cudaError_t, cudaError_t> spoiled(cudaStreamCaptureMode mode, Spoil spoil) {
  const Stream stream;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, mode));
  const cudaError_t answer = spoil(stream);
  cudaGraph_t graph = nullptr;
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
  return {answer, end};
}

}  // namespace

TEST_CASE("what a capture does not allow, and what that does to it") {
  const auto expect = [](std::pair<cudaError_t, cudaError_t> got, cudaError_t answer) {
    CHECK_EQ(got.first, answer);
    CHECK_EQ(got.second, cudaErrorStreamCaptureInvalidated);
  };
  expect(spoiled(cudaStreamCaptureModeGlobal,
                 [](cudaStream_t stream) { return cudaStreamSynchronize(stream); }),
         cudaErrorStreamCaptureUnsupported);
  expect(spoiled(cudaStreamCaptureModeThreadLocal,
                 [](cudaStream_t stream) { return cudaStreamQuery(stream); }),
         cudaErrorStreamCaptureUnsupported);
  expect(spoiled(cudaStreamCaptureModeGlobal,
                 [](cudaStream_t) {
                   void* p = nullptr;
                   return cudaMalloc(&p, 16);
                 }),
         cudaErrorStreamCaptureUnsupported);
  expect(spoiled(cudaStreamCaptureModeGlobal, [](cudaStream_t) { return cudaDeviceSynchronize(); }),
         cudaErrorStreamCaptureUnsupported);
}

TEST_CASE("relaxed captures allow allocation, and another thread is not concerned by a local one") {
  void* p = nullptr;
  const auto relaxed =
      spoiled(cudaStreamCaptureModeRelaxed, [&](cudaStream_t) { return cudaMalloc(&p, 16); });
  CHECK_EQ(relaxed.first, cudaSuccess);
  CHECK_EQ(relaxed.second, cudaSuccess);
  CHECK_CUDA(cudaFree(p));
  const auto local = spoiled(cudaStreamCaptureModeThreadLocal, [&](cudaStream_t) {
    cudaError_t error = cudaErrorUnknown;
    std::thread([&] { error = cudaMalloc(&p, 16); }).join();
    return error;
  });
  CHECK_EQ(local.first, cudaSuccess);
  CHECK_EQ(local.second, cudaSuccess);
  CHECK_CUDA(cudaFree(p));
}

TEST_CASE("the legacy stream neither captures nor overtakes a capturing blocking stream") {
  CHECK_EQ(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal),
           cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();
  const DeviceArray<float> x(256);
  const Stream blocking(cudaStreamDefault);
  REQUIRE_CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  kernels::relu(x, x, 256, nullptr);
  CHECK_EQ(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
  cudaGraph_t graph = nullptr;
  CHECK_EQ(cudaStreamEndCapture(blocking, &graph), cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
}

TEST_CASE("a capture must end in the thread that began it, and joined") {
  const Stream stream, other;
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaError_t elsewhere = cudaSuccess;
  std::thread([&] {
    cudaGraph_t graph = nullptr;
    elsewhere = cudaStreamEndCapture(stream, &graph);
  }).join();
  CHECK_EQ(elsewhere, cudaErrorStreamCaptureWrongThread);
  cudaGraph_t graph = nullptr;
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaGraphDestroy(graph));

  const Event event(cudaEventDisableTiming);
  const DeviceArray<float> x(256);
  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  REQUIRE_CUDA(cudaEventRecord(event, stream));
  REQUIRE_CUDA(cudaStreamWaitEvent(other, event, 0));
  kernels::relu(x, x, 256, other);
  CHECK_EQ(cudaEventQuery(event), cudaErrorCapturedEvent);
  cudaGetLastError();
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  CHECK(is_one_of(end, {cudaErrorStreamCaptureUnjoined, cudaErrorStreamCaptureInvalidated}));
  cudaGetLastError();

  REQUIRE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  REQUIRE_CUDA(cudaEventRecord(event, stream));
  REQUIRE_CUDA(cudaStreamWaitEvent(other, event, 0));
  kernels::relu(x, x, 256, other);
  CHECK_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureUnjoined);
  cudaGetLastError();
  CHECK_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
  cudaGetLastError();
}
