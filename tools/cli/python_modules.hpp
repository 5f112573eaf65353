// The texts of tools/bench/*.py that a peer is made of, in the order in which they need each other.
#pragma once

#include <array>

namespace backplane::cli {

struct PythonModule {
  const char *name, *text;
};
extern const std::array<PythonModule, 4> python_modules;

}  // namespace backplane::cli
