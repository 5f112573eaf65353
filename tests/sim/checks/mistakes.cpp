// One mistake for each name on the command line; the simulated card has to catch it. Ends with
// status 10 when a CUDA call reports an error, and prints which; otherwise with 0, unless the card
// itself ends the program with 99 because of a race or a leak.
#include <cublas_v2.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/kernels.h"

using namespace backplane::sim;

namespace {

constexpr int kCount = 1024;

struct World {
  float* x = nullptr;
  float* y = nullptr;
  float* z = nullptr;
  cudaStream_t first = nullptr;
  cudaStream_t second = nullptr;
  cudaEvent_t event = nullptr;
};

void make(World& world) {
  for (float** p : {&world.x, &world.y, &world.z}) {
    cudaMalloc(reinterpret_cast<void**>(p), kCount * sizeof(float));
    cudaMemset(*p, 0, kCount * sizeof(float));
  }
  cudaStreamCreateWithFlags(&world.first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&world.second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&world.event, cudaEventDisableTiming);
  cudaDeviceSynchronize();
}

void destroy(const World& world) {
  for (float* p : {world.x, world.y, world.z}) cudaFree(p);
  cudaStreamDestroy(world.first);
  cudaStreamDestroy(world.second);
  cudaEventDestroy(world.event);
}

void two_streams(World& w, bool with_wait) {
  kernels::relu(w.x, w.y, kCount, w.first);
  cudaEventRecord(w.event, w.first);
  if (with_wait) cudaStreamWaitEvent(w.second, w.event, 0);
  kernels::relu(w.y, w.z, kCount, w.second);
}

void race_in_graph(World& w) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaStreamBeginCapture(w.first, cudaStreamCaptureModeThreadLocal);
  cudaEventRecord(w.event, w.first);
  cudaStreamWaitEvent(w.second, w.event, 0);
  two_streams(w, false);
  cudaEventRecord(w.event, w.second);
  cudaStreamWaitEvent(w.first, w.event, 0);
  cudaStreamEndCapture(w.first, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, w.first);
  cudaStreamSynchronize(w.first);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

// Pinned memory is written again while a copy from it may still be queued.
bool pinned_reused_too_early(World& w) {
  float* pinned = nullptr;
  cudaMallocHost(reinterpret_cast<void**>(&pinned), sizeof(float));
  *pinned = 1;
  cudaMemcpyAsync(w.x, pinned, sizeof(float), cudaMemcpyHostToDevice, w.first);
  *pinned = 2;
  cudaStreamSynchronize(w.first);
  float seen = 0;
  cudaMemcpy(&seen, w.x, sizeof seen, cudaMemcpyDeviceToHost);
  cudaFreeHost(pinned);
  return seen == 1;
}

void blas_past_end(World& w) {
  cublasHandle_t handle = nullptr;
  cublasCreate(&handle);
  const float one = 1;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, w.x, 64, w.y, 64, &one, w.z, 64);
  cudaDeviceSynchronize();
  cublasDestroy(handle);
}

void wrong_device(World& w) {
  cudaSetDevice(1);
  float* other = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&other), kCount * sizeof(float));
  kernels::relu(w.x, other, kCount, nullptr);
  cudaDeviceSynchronize();
}

const std::map<std::string, std::function<void(World&)>> kMistakes = {
    {"none", [](World& w) { two_streams(w, true); }},
    {"leak-and-reset",  // no mistake: a reset frees what the device held
     [](World&) {
       void* lost = nullptr;
       cudaMalloc(&lost, 100);
       cudaDeviceReset();
     }},
    {"missing-wait", [](World& w) { two_streams(w, false); }},
    {"missing-wait-after-other-wait",  // the host has waited, but for the wrong stream
     [](World& w) {
       kernels::relu(w.x, w.y, kCount, w.first);
       cudaStreamSynchronize(w.second);
       kernels::relu(w.y, w.z, kCount, w.second);
     }},
    {"copy-against-kernel",
     [](World& w) {
       cudaMemcpyAsync(w.y, w.x, 64, cudaMemcpyDeviceToDevice, w.first);
       kernels::relu(w.y, w.z, kCount, w.second);
     }},
    {"memset-against-copy",
     [](World& w) {
       cudaMemsetAsync(w.y, 0, 64, w.first);
       cudaMemcpyAsync(w.z, w.y, 128, cudaMemcpyDeviceToDevice, w.second);
     }},
    {"legacy-against-non-blocking",
     [](World& w) {
       kernels::relu(w.x, w.y, kCount, w.first);
       kernels::relu(w.y, w.z, kCount, nullptr);
     }},
    {"race-in-graph", race_in_graph},
    {"freed-in-flight",
     [](World& w) {
       float* p = nullptr;
       cudaMallocAsync(reinterpret_cast<void**>(&p), 64, w.first);
       cudaMemsetAsync(p, 0, 64, w.first);
       cudaFreeAsync(p, w.first);
       kernels::relu(p, w.y, 16, w.first);
     }},
    {"read-past-end", [](World& w) { kernels::read_past_end(w.x, w.y, kCount, 1, nullptr); }},
    {"host-pointer",
     [](World& w) {
       static const std::vector<float> host(kCount);
       kernels::relu(host.data(), w.y, kCount, nullptr);
     }},
    {"null-pointer", [](World& w) { kernels::relu(nullptr, w.y, kCount, nullptr); }},
    {"wrong-device", wrong_device},
    {"removed-barrier", [](World& w) { kernels::forgotten_barrier(w.x, w.y, nullptr); }},
    {"removed-syncwarp", [](World& w) { kernels::forgotten_syncwarp(w.x, w.y, nullptr); }},
    {"barrier-in-branch", [](World& w) { kernels::barrier_in_branch(w.y, nullptr); }},
    {"early-return", [](World& w) { kernels::early_return_before_barrier(w.y, 40, nullptr); }},
    {"race-between-blocks", [](World& w) { kernels::blocks_share_a_word(w.y, nullptr); }},
    {"shuffle-in-branch", [](World& w) { kernels::shuffle_in_branch(w.y, nullptr); }},
    {"misaligned",
     [](World& w) { kernels::misaligned(reinterpret_cast<const char*>(w.x), w.y, nullptr); }},
    {"shared-past-end", [](World& w) { kernels::shared_past_end(w.y, 1, nullptr); }},
    {"assertion", [](World&) { kernels::failed_assertion(1, nullptr); }},
    {"blas-past-end", blas_past_end},
    {"leak",
     [](World&) {
       void* lost = nullptr;
       cudaMalloc(&lost, 100);
     }},
    {"leaked-stream",
     [](World&) {
       cudaStream_t lost = nullptr;
       cudaStreamCreate(&lost);
     }},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  World world;
  make(world);
  if (name == "pinned-reused") {
    const bool lucky = pinned_reused_too_early(world);
    destroy(world);
    if (!lucky) std::printf("the copy saw what was written after the call\n");
    return lucky ? 0 : 10;
  }
  const auto mistake = kMistakes.find(name);
  if (mistake == kMistakes.end()) {
    std::printf("usage: sim_mistakes NAME\n");
    return 2;
  }
  mistake->second(world);
  cudaDeviceSynchronize();
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorName(error));
    return 10;
  }
  destroy(world);
  return 0;
}
