// One table of what each vendor code means at the border.
#include "errors.hpp"

namespace backplane::cuda {
namespace {

bp_status status_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return BP_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
      return BP_NOT_FOUND;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorNotSupported:
      return BP_UNSUPPORTED;
    // The context is gone: every later call on the device gives the same code.
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContextIsDestroyed:
      return BP_DEVICE_LOST;
    default:
      return BP_FAILED;
  }
}

bp_status status_of(cublasStatus_t code) {
  switch (code) {
    case CUBLAS_STATUS_ALLOC_FAILED:
      return BP_OUT_OF_MEMORY;
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return BP_UNSUPPORTED;
    default:
      return BP_FAILED;
  }
}

const char* repair_of(bp_status status) {
  switch (status) {
    case BP_DEVICE_LOST:
      return "; the device can't be used again in this process: restart the program, under "
             "compute-sanitizer to find the cause";
    case BP_OUT_OF_MEMORY:
      return "; free tensors or use smaller batches";
    default:
      return "";
  }
}

plugin::Failure describe(bp_status status, const std::string& what, const std::string& vendor) {
  return {status, "cuda: " + what + ": " + vendor + repair_of(status)};
}

}  // namespace

plugin::Failure failure(cudaError_t code, const std::string& what) {
  cudaGetLastError();  // it has been told; the next question shall not find it again
  return describe(status_of(code), what,
                  std::string(cudaGetErrorName(code)) + " (" + std::to_string(code) + "), " +
                      cudaGetErrorString(code));
}

plugin::Failure failure(cublasStatus_t code, const std::string& what) {
  return describe(status_of(code), what,
                  std::string(cublasGetStatusName(code)) + " (" + std::to_string(code) + "), " +
                      cublasGetStatusString(code));
}

// From version 9 on, cuDNN's codes count in thousands by kind.
plugin::Failure dnn_failure(int code, const char* name, const std::string& what) {
  constexpr int not_supported = 3, no_host_memory = 4003, no_device_memory = 4004;
  const bp_status status = code == no_host_memory || code == no_device_memory ? BP_OUT_OF_MEMORY
                           : code / 1000 == not_supported                     ? BP_UNSUPPORTED
                                                                              : BP_FAILED;
  return describe(status, what, std::string(name) + " (" + std::to_string(code) + ")");
}

plugin::Failure nvml_failure(int code, const char* text, const std::string& what) {
  constexpr int not_supported = 3, not_found = 6, gpu_is_lost = 15;
  const bp_status status = code == not_supported ? BP_UNSUPPORTED
                           : code == not_found   ? BP_NOT_FOUND
                           : code == gpu_is_lost ? BP_DEVICE_LOST
                                                 : BP_FAILED;
  return describe(status, what, "NVML error " + std::to_string(code) + ", " + text);
}

}  // namespace backplane::cuda
