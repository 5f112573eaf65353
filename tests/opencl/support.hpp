// What the tests of the OpenCL back end share.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

#include "backplane/backplane.hpp"
#include "layer.hpp"

// The layer of this process, which CTest names in OPENCL_LAYERS; the loader opens the same one.
inline opencl_layer::Settings& layer() {
  static opencl_layer::Settings* const settings = [] {
    const char* path = std::getenv("OPENCL_LAYERS");
    REQUIRE(path != nullptr);
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    const auto get =
        reinterpret_cast<decltype(&opencl_layer_settings)>(dlsym(library, "opencl_layer_settings"));
    const bool found = get != nullptr;
    REQUIRE(found);
    return get();
  }();
  return *settings;
}

// Where the plug-in keeps compiled programs in this process; CTest gives each test a folder.
inline std::filesystem::path program_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  REQUIRE(cache != nullptr);
  return std::filesystem::path(cache) / "backplane" / "opencl";
}
