// What a card says about itself, and what is made on it.
#include "device.hpp"

#include "event.hpp"
#include "kernels.hpp"
#include "product.hpp"

namespace backplane::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string drivers() {
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "asking for the driver's version");
  check(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
  return "CUDA driver " + version_text(driver) + ", runtime " + version_text(runtime);
}

cudaDeviceProp properties_of(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "asking for a device's properties");
  return properties;
}

// Any kernel shows whether the plug-in has code for the card.
void require_code(int ordinal, const cudaDeviceProp& card) {
  const CurrentDevice scope(ordinal);
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, backplane_cuda_kernels[0]);
  if (code == cudaSuccess) return;
  if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction &&
      code != cudaErrorUnsupportedPtxVersion) {
    throw failure(code, "loading kernels");
  }
  const std::string capability = std::to_string(card.major) + std::to_string(card.minor);
  throw failure(code, std::string(card.name) + " is sm_" + capability +
                          ", and this plug-in has code for " BACKPLANE_CUDA_ARCHITECTURES
                          "; build it with BACKPLANE_CUDA_ARCHITECTURES=" +
                          capability + ", for which a card that old may need an older toolkit");
}

}  // namespace

CudaDevice::CudaDevice(int ordinal) : ordinal_(ordinal) {
  const cudaDeviceProp card = properties_of(ordinal);
  capability_ = 10 * card.major + card.minor;
  require_code(ordinal, card);
  const CurrentDevice scope(ordinal);
  lt_ = make_lt();
}

void CudaDevice::info(bp_device_info& info) {
  const cudaDeviceProp card = properties_of(ordinal_);
  char bus_id[sizeof info.unique_id] = {};
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, ordinal_), "asking for a PCI bus id");
  info.kind = BP_KIND_GPU;
  info.memory_space = BP_MEMORY_DEVICE;
  info.compute_units = static_cast<std::uint32_t>(card.multiProcessorCount);
  info.memory_bytes = card.totalGlobalMem;
  info.alignment = 256;
  info.asynchronous = 1;
  plugin::copy_text(info.name, sizeof info.name, card.name);
  plugin::copy_text(info.driver, sizeof info.driver, drivers());
  plugin::copy_text(info.unique_id, sizeof info.unique_id, bus_id);
}

void CudaDevice::memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) {
  const CurrentDevice scope(ordinal_);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  free_bytes = free;
  total_bytes = total;
}

std::unique_ptr<plugin::Buffer> CudaDevice::allocate(std::uint64_t bytes) {
  return std::make_unique<CudaBuffer>(ordinal_, bytes);
}

std::unique_ptr<plugin::Buffer> CudaDevice::wrap(void* memory, std::uint64_t bytes) {
  return std::make_unique<CudaBuffer>(ordinal_, memory, bytes);
}

void CudaDevice::set_option(const std::string& key, const std::string& value) {
  if (card::Plans::set(key, value)) return;
  if (key != "convolution") {
    DeviceOf::set_option(key, value);
    return;
  }
  if (value != "im2col" && value != "cudnn") {
    throw plugin::invalid("convolution: must be im2col or cudnn, got '" + value + "'");
  }
  std::shared_ptr<const Convolutions> chosen;
  if (value == "cudnn") chosen = open_dnn(ordinal_);
  const std::scoped_lock lock(mutex_);
  dnn_ = std::move(chosen);
}

template <class Op>
std::unique_ptr<plugin::Plan> CudaDevice::convolution(const Op& op, plugin::Request& request) {
  std::shared_ptr<const Convolutions> dnn;
  {
    const std::scoped_lock lock(mutex_);
    dnn = dnn_;
  }
  const bool is_f32 = !request.inputs.empty() && request.inputs[0].dtype == BP_F32;
  if (dnn != nullptr && is_f32) {
    if (auto plan = dnn->plan(op, request)) return plan;
  }
  return card::Plans::plan(op, request);
}

std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Conv2d& op, plugin::Request& request) {
  return convolution(op, request);
}
std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Conv2dBackwardData& op,
                                               plugin::Request& request) {
  return convolution(op, request);
}
std::unique_ptr<plugin::Plan> CudaDevice::plan(const op::Conv2dBackwardWeight& op,
                                               plugin::Request& request) {
  return convolution(op, request);
}

void* CudaDevice::allocate_pinned(std::uint64_t bytes) {
  const CurrentDevice scope(ordinal_);
  return cuda::allocate_pinned(bytes);
}

std::unique_ptr<plugin::Queue> CudaDevice::create_queue() {
  return std::make_unique<CudaQueue>(ordinal_);
}

std::unique_ptr<plugin::Event> CudaDevice::create_event() {
  return std::make_unique<CudaEvent>(ordinal_);
}

std::shared_ptr<const card::Product> CudaDevice::product(const card::Check& check,
                                                         plugin::Request& request,
                                                         const card::Matrix& y,
                                                         const card::Matrix& a,
                                                         const card::Matrix& b) const {
  const BlasScratch scratch(request, blas_workspace_bytes());
  return std::make_shared<CudaProduct>(check, y, a, b, request.inputs[0].dtype, request.strict,
                                       scratch);
}

// NVIDIA's advice: 32 MiB on Hopper and Blackwell, 4 MiB before.
std::uint64_t CudaDevice::blas_workspace_bytes() const {
  return std::uint64_t{capability_ >= 90 ? 32u : 4u} << 20;
}

}  // namespace backplane::cuda
