// Prints what a program meets on this machine, line by line; the tests compare it with what the
// BACKPLANE_SIM_* variables asked for. Ends in success, whatever the calls answered.
#include <cstdio>

#include "kernels/kernels.h"

int main() {
  const auto say = [](const char* what, cudaError_t error) {
    std::printf("%s %s\n", what, cudaGetErrorName(error));
  };
  int driver = -1;
  cudaDriverGetVersion(&driver);
  std::printf("driver %d\n", driver);
  int count = -1;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  std::printf("count %d %s\n", count, cudaGetErrorName(counted));
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) {
    std::printf("capability %d.%d\n", properties.major, properties.minor);
  }
  float* memory = nullptr;
  say("allocation", cudaMalloc(reinterpret_cast<void**>(&memory), 4096));
  cudaGetLastError();
  if (memory != nullptr) cudaMemset(memory, 0, 4096);
  backplane::sim::kernels::relu(memory, memory, memory == nullptr ? 0 : 1024, nullptr);
  say("launch", cudaGetLastError());
  say("wait", cudaDeviceSynchronize());
  cudaFree(memory);
  return 0;
}
