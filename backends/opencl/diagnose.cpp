// Tells apart: no loader, no driver, a driver whose library is missing, a driver without a device.
#include "diagnose.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "platform.hpp"

namespace backplane::opencl {
namespace {

namespace fs = std::filesystem;

// Where loaders look for .icd files, each of which names the library of a driver.
fs::path vendor_folder() {
  for (const char* variable : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    if (const char* set = std::getenv(variable); set != nullptr && *set != '\0') return set;
  }
  return "/etc/OpenCL/vendors";
}

std::vector<fs::path> icd_files(const fs::path& folder) {
  if (folder.extension() == ".icd") return {folder};  // some loaders take one file as well
  std::vector<fs::path> files;
  std::error_code ignored;  // a folder that isn't there has none
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".icd") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

plugin::Diagnosis diagnose_file(const fs::path& file) {
  std::string library;
  std::ifstream(file) >> library;
  if (library.empty()) {
    return {file.string() + " names no driver library",
            "reinstall the driver that the file belongs to, or remove the file"};
  }
  void* opened = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (opened == nullptr) {
    return {file.string() + " names a driver that can't be opened: " + dlerror(),
            "reinstall that driver, or what its library needs"};
  }
  dlclose(opened);
  return {};
}

plugin::Diagnosis diagnose_drivers() {
  const fs::path folder = vendor_folder();
  const std::vector<fs::path> files = icd_files(folder);
  if (files.empty()) {
    return {"the OpenCL loader finds no driver: no .icd file in " + folder.string(),
            "install the device's OpenCL driver (Debian: mesa-opencl-icd, intel-opencl-icd, "
            "nvidia-opencl-icd, or pocl-opencl-icd for CPUs)"};
  }
  for (const fs::path& file : files) {
    if (plugin::Diagnosis found = diagnose_file(file); !found.reason.empty()) return found;
  }
  return {"the drivers named in " + folder.string() + " give the OpenCL loader no platform",
          "run clinfo: it must list the device"};
}

std::string names_of(const std::vector<cl_platform_id>& platforms) {
  std::string names;
  for (const cl_platform_id platform : platforms) {
    if (!names.empty()) names += ", ";
    names +=
        text_of(platform, CL_PLATFORM_NAME) + " (" + text_of(platform, CL_PLATFORM_VERSION) + ")";
  }
  return names;
}

}  // namespace

plugin::Diagnosis diagnose() {
  if (!loader_fault().empty()) {
    return {loader_fault(),
            "install an OpenCL loader (Debian: apt-get install ocl-icd-libopencl1) "
            "and the device's driver"};
  }
  if (!list_devices().empty()) return {};
  const std::vector<cl_platform_id> platforms = list_platforms();
  if (platforms.empty()) return diagnose_drivers();
  return {"no OpenCL driver finds a device: " + names_of(platforms),
          "run clinfo: it must list the device; the user may lack permission for it (group render "
          "or video), or the driver's environment hides it"};
}

}  // namespace backplane::opencl
