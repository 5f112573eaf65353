// What the simulated cuBLAS needs from the simulated runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

extern "C" {

struct backplane_sim_operand {
  const void* address;  // device address, or pinned memory
  size_t bytes;         // from the first to the last byte that is used
  int writes;           // 1: written (and perhaps read), 0: only read
};

// Puts `run` on a stream. It gets the storage of each operand and a copy of `data`.
cudaError_t backplane_sim_enqueue(cudaStream_t stream, const char* what,
                                  const backplane_sim_operand* operands, size_t count,
                                  void (*run)(void* const* storage, const void* data),
                                  const void* data, size_t data_bytes);

// Counts a library handle: +1 when made, which may be the allocation that has to fail; -1 after.
cudaError_t backplane_sim_handle_made();
void backplane_sim_handle_destroyed();

}  // extern "C"
