// What the fault layer can do to the OpenCL calls of this process.
//
// The layer stands between the loader and the driver (OPENCL_LAYERS names it), so the plug-in and
// the driver are those that users have.
#pragma once

#include <atomic>

namespace opencl_layer {

struct Settings {
  std::atomic<long> fail_allocation{0};      // the n-th from now on has no room; 0: none
  std::atomic<bool> lost{false};             // every launch says that the device is gone
  std::atomic<bool> broken_texts{false};     // what is compiled from now on has a mistake in line 1
  std::atomic<unsigned> most_work_items{0};  // in a group of any kernel; 0: what the driver says

  // Counted since the start.
  std::atomic<long> allocations{0}, live_buffers{0}, finishes{0};
};

}  // namespace opencl_layer

// The one object, in the layer's library.
extern "C" opencl_layer::Settings* opencl_layer_settings();
