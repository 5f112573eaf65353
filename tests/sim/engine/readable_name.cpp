// Demangles by the C++ runtime's own function.
#include "engine/readable_name.h"

#include <cxxabi.h>

#include <cstdlib>

namespace backplane::sim {

std::string readable_name(const std::string& mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  const std::string name = status == 0 && text != nullptr ? text : mangled;
  std::free(text);
  return name;
}

}  // namespace backplane::sim
