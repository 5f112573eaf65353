// Opens libOpenCL.so.1 once.
#include "loader.hpp"

#include <dlfcn.h>

namespace backplane::opencl {
namespace {

struct Loader {
  Functions functions;
  std::string fault;
};

// A loader of OpenCL 1.1 lacks some of them.
template <class Function>
void find(void* library, const char* name, Function& function, std::string& fault) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && fault.empty()) {
    fault = std::string("libOpenCL.so.1 has no ") + name + ": it is older than OpenCL 1.2";
  }
}

Loader open_loader() {
  Loader loader;
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loader.fault = std::string("no OpenCL loader on this machine (") + dlerror() + ")";
    return loader;
  }
#define BACKPLANE_ROW(name) find(library, #name, loader.functions.name, loader.fault);
  BACKPLANE_OPENCL_FUNCTIONS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  return loader;
}

const Loader& loader() {
  static const Loader opened = open_loader();
  return opened;
}

}  // namespace

const std::string& loader_fault() {
  return loader().fault;
}

const Functions& cl() {
  return loader().functions;
}

}  // namespace backplane::opencl
