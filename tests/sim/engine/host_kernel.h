// Leg A: kernels compiled by the host compiler on the same engine, so that ASan and UBSan see them.
//
// The macros below are what the shared kernel dialect builds on when it is compiled for the host.
// A kernel is an ordinary function; run() starts a thread of it for each place of a launch.
#pragma once

#include <cstring>
#include <tuple>
#include <utility>

#include "engine/block_runner.h"

namespace backplane::sim::host {

// Room for an array that all threads of the block share. Every thread must ask for the same arrays
// in the same order. Under ASan there is a poisoned gap behind each.
void* shared(std::size_t bytes, std::size_t alignment);

inline Thread& thread() {
  return BlockRunner::current_thread();
}

inline void barrier(int line) {
  BlockRunner::current().barrier(thread(), 0, 0, BarrierVote::none, false, line);
}

// Atomics need no more than this: only one thread runs at a time.
template <class T>
T atomic_add(T* place, T value) {
  return std::exchange(*place, static_cast<T>(*place + value));
}
template <class T>
T atomic_min(T* place, T value) {
  return std::exchange(*place, value < *place ? value : *place);
}
template <class T>
T atomic_max(T* place, T value) {
  return std::exchange(*place, *place < value ? value : *place);
}
template <class T>
T atomic_exchange(T* place, T value) {
  return std::exchange(*place, value);
}
template <class T>
T atomic_compare_exchange(T* place, T expected, T value) {
  return std::exchange(*place, *place == expected ? value : *place);
}

// The runner of this OS thread; set its order seed to permute threads and blocks.
BlockRunner& runner();

template <class... Parameters>
struct Call {
  void (*kernel)(Parameters...);
  std::tuple<std::remove_cv_t<Parameters>...> arguments;

  static void start(Thread&, const unsigned char* bytes) {
    const Call* self;
    std::memcpy(&self, bytes, sizeof self);
    std::apply(self->kernel, self->arguments);
  }
};

// Runs a kernel to its end. The outcome names barrier mistakes; wrong addresses are for ASan.
template <class... Parameters, class... Arguments>
Outcome run(const char* name, void (*kernel)(Parameters...), const LaunchShape& shape,
            Arguments&&... arguments) {
  const Call<Parameters...> call{kernel, {std::forward<Arguments>(arguments)...}};
  const Call<Parameters...>* pointer = &call;
  unsigned char bytes[sizeof pointer];
  std::memcpy(bytes, &pointer, sizeof pointer);
  const KernelEntry entry{name,         Call<Parameters...>::start, nullptr, 0,
                          sizeof bytes, BlockRunner::kMaxShared,    0};
  Environment nothing;
  return runner().run(entry, shape, bytes, nothing);
}

}  // namespace backplane::sim::host

#define BACKPLANE_SIM_RUN(kernel, ...) ::backplane::sim::host::run(#kernel, kernel, __VA_ARGS__)
// Declares `name` as a reference to an array of `count` elements that the block shares.
#define BACKPLANE_SIM_SHARED(type, name, count)      \
  type(&name)[count] = *static_cast<type(*)[count]>( \
      ::backplane::sim::host::shared(sizeof(type) * (count), alignof(type)))
#define BACKPLANE_SIM_BARRIER() ::backplane::sim::host::barrier(__LINE__)
// Axis 0 is x. All four are uint32_t.
#define BACKPLANE_SIM_LOCAL_ID(axis) (::backplane::sim::host::thread().index[axis])
#define BACKPLANE_SIM_GROUP_ID(axis) (::backplane::sim::host::thread().block->index[axis])
#define BACKPLANE_SIM_LOCAL_SIZE(axis) (::backplane::sim::host::thread().block->size[axis])
#define BACKPLANE_SIM_GROUP_COUNT(axis) (::backplane::sim::host::thread().block->grid[axis])
