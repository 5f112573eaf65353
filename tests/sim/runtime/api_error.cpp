// Error codes: the last one of each thread, their names and what they say.
#include "runtime/machine.h"

using namespace backplane::sim;

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

#define BACKPLANE_SIM_ERROR(code, text) \
  { code, #code, text }
const ErrorText kErrors[] = {
    BACKPLANE_SIM_ERROR(cudaSuccess, "no error"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidValue, "invalid argument"),
    BACKPLANE_SIM_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    BACKPLANE_SIM_ERROR(cudaErrorInitializationError, "initialization error"),
    BACKPLANE_SIM_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    BACKPLANE_SIM_ERROR(cudaErrorInsufficientDriver,
                        "CUDA driver version is insufficient for CUDA runtime version"),
    BACKPLANE_SIM_ERROR(cudaErrorMissingConfiguration,
                        "__global__ function call is not configured"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    BACKPLANE_SIM_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    BACKPLANE_SIM_ERROR(cudaErrorNoKernelImageForDevice,
                        "no kernel image is available for execution on the device"),
    BACKPLANE_SIM_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    BACKPLANE_SIM_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    BACKPLANE_SIM_ERROR(cudaErrorIllegalState,
                        "the operation cannot be performed in the present state"),
    BACKPLANE_SIM_ERROR(cudaErrorNotReady, "device not ready"),
    BACKPLANE_SIM_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    BACKPLANE_SIM_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    BACKPLANE_SIM_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    BACKPLANE_SIM_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    BACKPLANE_SIM_ERROR(cudaErrorAssert, "device-side assert triggered"),
    BACKPLANE_SIM_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                        "part or all of the requested memory range is already mapped"),
    BACKPLANE_SIM_ERROR(cudaErrorHostMemoryNotRegistered,
                        "pointer does not correspond to a registered memory region"),
    BACKPLANE_SIM_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    BACKPLANE_SIM_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    BACKPLANE_SIM_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    BACKPLANE_SIM_ERROR(cudaErrorNotSupported, "operation not supported"),
    BACKPLANE_SIM_ERROR(cudaErrorStreamCaptureUnsupported,
                        "operation not permitted when stream is capturing"),
    BACKPLANE_SIM_ERROR(cudaErrorStreamCaptureInvalidated,
                        "operation failed due to a previous error during capture"),
    BACKPLANE_SIM_ERROR(cudaErrorStreamCaptureMerge,
                        "operation would result in a merge of separate capture sequences"),
    BACKPLANE_SIM_ERROR(cudaErrorStreamCaptureUnmatched,
                        "capture was not ended in the same stream as it began"),
    BACKPLANE_SIM_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    BACKPLANE_SIM_ERROR(cudaErrorStreamCaptureIsolation,
                        "dependency created on uncaptured work in another stream"),
    BACKPLANE_SIM_ERROR(
        cudaErrorStreamCaptureImplicit,
        "operation would make the legacy stream depend on a capturing blocking stream"),
    BACKPLANE_SIM_ERROR(cudaErrorCapturedEvent,
                        "operation not permitted on an event last recorded in a capturing stream"),
    BACKPLANE_SIM_ERROR(cudaErrorStreamCaptureWrongThread,
                        "attempt to terminate a thread-local capture sequence from another thread"),
    BACKPLANE_SIM_ERROR(cudaErrorGraphExecUpdateFailure,
                        "the graph update was not performed because it included changes which "
                        "violated constraints specific to instantiated graph update"),
    BACKPLANE_SIM_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef BACKPLANE_SIM_ERROR

const ErrorText* find(cudaError_t code) {
  for (const ErrorText& each : kErrors) {
    if (each.code == code) return &each;
  }
  return nullptr;
}

// A fault of the device comes before whatever this thread remembers.
cudaError_t current_error() {
  Machine& machine = Machine::get();
  const std::lock_guard<std::recursive_mutex> guard(machine.lock);
  const auto index = static_cast<size_t>(current_device());
  if (index < machine.devices.size() && machine.devices[index].sticky != cudaSuccess) {
    return machine.devices[index].sticky;
  }
  return last_error();
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = current_error();
  last_error() = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() {
  return current_error();
}

const char* cudaGetErrorName(cudaError_t code) {
  const ErrorText* found = find(code);
  return found == nullptr ? "unrecognized error code" : found->name;
}
const char* cudaGetErrorString(cudaError_t code) {
  const ErrorText* found = find(code);
  return found == nullptr ? "unrecognized error code" : found->text;
}

}  // extern "C"
