// Kernel libraries and registrations: which translated module belongs to which part of a plug-in.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "runtime/kernels.h"

// What one translation unit of nvcc registers under one handle.
struct Image {
  struct Variable {
    const void* host;
    std::string name;
    uint64_t bytes;
  };
  std::deque<CUkern_st> kernels;  // stays put: handles point into it
  std::vector<Variable> variables;
  const backplane::sim::KernelModule* module = nullptr;
};

namespace backplane::sim {
namespace {

struct Registry {
  std::deque<Image> images;
  std::map<const void*, CUkern_st*> kernels;                        // by host function
  std::map<const void*, std::pair<Image*, std::size_t>> variables;  // by host variable
  std::vector<const KernelModule*> modules;
  bool loaded = false;
};

// On the heap for the same reason as the Machine.
Registry& registry() {
  static auto* made = new Registry;
  return *made;
}

void load_library(Machine& machine, const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return say("kernels cannot be loaded: " + std::string(dlerror()));
  const auto list = reinterpret_cast<KernelModulesFunction>(dlsym(handle, kKernelModulesSymbol));
  if (list == nullptr) return say(path + " is not a kernel library");
  uint32_t count = 0;
  const KernelModule* const* modules = list(&count);
  for (uint32_t i = 0; i < count; ++i) {
    if (modules[i]->abi != kKernelAbi) return say(path + " was built for another simulator");
    if (modules[i]->checked != 0) machine.memory.provide_race_cells();
    registry().modules.push_back(modules[i]);
  }
}

void load_libraries(Machine& machine) {
  if (registry().loaded) return;
  registry().loaded = true;
  std::stringstream paths(machine.settings.kernels);
  for (std::string path; std::getline(paths, path, ':');) {
    if (!path.empty()) load_library(machine, path);
  }
}

const KernelEntry* entry_of(const KernelModule& module, const std::string& name) {
  for (uint32_t i = 0; i < module.kernel_count; ++i) {
    if (name == module.kernels[i].name) return &module.kernels[i];
  }
  return nullptr;
}

bool has_variable(const KernelModule& module, const std::string& name) {
  return std::any_of(module.variables, module.variables + module.variable_count,
                     [&](const VariableEntry& entry) { return name == entry.name; });
}

// Two files may hold static kernels or variables of one name; the file that has all the names that
// were registered together is the right one.
const KernelModule* module_of(Machine& machine, const Image& image) {
  load_libraries(machine);
  for (const KernelModule* module : registry().modules) {
    const bool kernels = std::all_of(
        image.kernels.begin(), image.kernels.end(),
        [&](const CUkern_st& kernel) { return entry_of(*module, kernel.name) != nullptr; });
    const bool variables = std::all_of(
        image.variables.begin(), image.variables.end(),
        [&](const Image::Variable& variable) { return has_variable(*module, variable.name); });
    if (kernels && variables) return module;
  }
  return nullptr;
}

}  // namespace

cudaError_t prepare(Machine& machine, CUkern_st& kernel) {
  if (kernel.entry == nullptr) {
    kernel.module = module_of(machine, *kernel.image);
    if (kernel.module != nullptr) kernel.entry = entry_of(*kernel.module, kernel.name);
  }
  if (kernel.entry == nullptr) {
    say("no translated code for kernel " + kernel.name +
        "; BACKPLANE_SIM_KERNELS must name the library that was built from its source");
    return cudaErrorInvalidDeviceFunction;
  }
  return kernel.module->capability > machine.settings.capability ? cudaErrorNoKernelImageForDevice
                                                                 : cudaSuccess;
}

cudaError_t find_kernel(Machine& machine, const void* host_function, CUkern_st** out) {
  const auto found = registry().kernels.find(host_function);
  if (found != registry().kernels.end()) {
    *out = found->second;
    return prepare(machine, **out);
  }
  // A handle from cudaGetKernel may stand where a function is asked for.
  for (Image& image : registry().images) {
    for (CUkern_st& kernel : image.kernels) {
      if (&kernel != host_function) continue;
      *out = &kernel;
      return prepare(machine, kernel);
    }
  }
  return cudaErrorInvalidDeviceFunction;
}

namespace {

std::vector<uint64_t> create_variables(Machine& machine, int device, const KernelModule& module) {
  std::vector<uint64_t> addresses;
  for (uint32_t i = 0; i < module.variable_count; ++i) {
    const VariableEntry& entry = module.variables[i];
    void* memory = machine.memory.allocate(device, std::max<uint64_t>(entry.bytes, 1),
                                           Allocation::Kind::variable);
    addresses.push_back(reinterpret_cast<uint64_t>(memory));
    unsigned char* bytes = machine.memory.storage(addresses.back());
    std::memset(bytes, 0, entry.bytes);
    if (entry.initial != nullptr) std::memcpy(bytes, entry.initial, entry.bytes);
  }
  for (uint32_t i = 0; i < module.variable_count; ++i) {
    const VariableEntry& entry = module.variables[i];
    for (uint32_t j = 0; j < entry.relocation_count; ++j) {
      const Relocation& relocation = entry.relocations[j];
      const uint64_t value =
          relocation.variable < 0
              ? reinterpret_cast<uint64_t>(relocation.function)
              : addresses[static_cast<size_t>(relocation.variable)] + relocation.addend;
      std::memcpy(machine.memory.storage(addresses[i]) + relocation.offset, &value, sizeof value);
    }
  }
  return addresses;
}

}  // namespace

const std::vector<uint64_t>& module_variables(Machine& machine, int device,
                                              const KernelModule& module) {
  auto& known = machine.devices[static_cast<size_t>(device)].variables;
  for (const auto& [owner, addresses] : known) {
    if (owner == &module) return addresses;
  }
  known.emplace_back(&module, create_variables(machine, device, module));
  return known.back().second;
}

cudaError_t symbol_address(Machine& machine, const void* symbol, uint64_t* address,
                           uint64_t* bytes) {
  const auto found = registry().variables.find(symbol);
  if (found == registry().variables.end()) return cudaErrorInvalidSymbol;
  Image& image = *found->second.first;
  const Image::Variable& variable = image.variables[found->second.second];
  if (image.module == nullptr) image.module = module_of(machine, image);
  if (image.module == nullptr) {
    say("no translated code holds the variable " + variable.name);
    return cudaErrorInvalidSymbol;
  }
  const auto& addresses = module_variables(machine, current_device(), *image.module);
  for (uint32_t i = 0; i < image.module->variable_count; ++i) {
    if (variable.name == image.module->variables[i].name) *address = addresses[i];
  }
  *bytes = variable.bytes;
  return cudaSuccess;
}

}  // namespace backplane::sim

// The glue that nvcc's host code calls. None of it is documented; signatures are those of
// crt/host_runtime.h.
using backplane::sim::Machine;
using backplane::sim::registry;

extern "C" void** __cudaRegisterFatBinary(void*) {
  const std::lock_guard<std::recursive_mutex> guard(Machine::get().lock);
  registry().images.emplace_back();
  return reinterpret_cast<void**>(&registry().images.back());
}
extern "C" void __cudaRegisterFatBinaryEnd(void**) {}
extern "C" void __cudaUnregisterFatBinary(void**) {}
extern "C" char __cudaInitModule(void**) {
  return 1;
}

extern "C" void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                                       const char* device_name, int, uint3*, uint3*, dim3*, dim3*,
                                       int*) {
  const std::lock_guard<std::recursive_mutex> guard(Machine::get().lock);
  auto* image = reinterpret_cast<Image*>(handle);
  CUkern_st& kernel = image->kernels.emplace_back();
  kernel.name = device_name;
  kernel.image = image;
  registry().kernels[host_function] = &kernel;
}

extern "C" void __cudaRegisterVar(void** handle, char* host_variable, char*,
                                  const char* device_name, int, size_t bytes, int, int) {
  const std::lock_guard<std::recursive_mutex> guard(Machine::get().lock);
  auto* image = reinterpret_cast<Image*>(handle);
  image->variables.push_back({host_variable, device_name, bytes});
  registry().variables[host_variable] = {image, image->variables.size() - 1};
}
