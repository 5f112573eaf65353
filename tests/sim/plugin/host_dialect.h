// The kernel dialect's words for the host compiler, on the engine of the simulated card: the shared
// kernel texts run under sanitizers with it.
#pragma once

#include <math.h>  // not cmath: exp(float) must be found without std::

#include <bit>

#include "engine/host_kernel.h"

#define KERNEL(name, ...) static void name(__VA_ARGS__)
#define FN static inline
#define GLOBAL
#define LOCAL
#define SHARED(T, name, count) BACKPLANE_SIM_SHARED(T, name, count)
#define BARRIER() BACKPLANE_SIM_BARRIER()
#define LOCAL_ID static_cast<i32>(BACKPLANE_SIM_LOCAL_ID(0))
#define GROUP_ID static_cast<i64>(BACKPLANE_SIM_GROUP_ID(0))
#define GROUP_COUNT static_cast<i64>(BACKPLANE_SIM_GROUP_COUNT(0))
#define FLOAT_BITS(x) std::bit_cast<u32>(static_cast<float>(x))
#define BITS_FLOAT(x) std::bit_cast<float>(static_cast<u32>(x))
