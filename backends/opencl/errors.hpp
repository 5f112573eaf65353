// From an OpenCL code to the status and the words that cross the border.
#pragma once

#include <string>

#include "backplane/plugin/backend.hpp"
#include "loader.hpp"

namespace backplane::opencl {

// `what` says what was tried. The text keeps the vendor's name of the code.
[[nodiscard]] plugin::Failure failure(cl_int code, const std::string& what);

inline void check(cl_int code, const char* what) {
  if (code != CL_SUCCESS) throw failure(code, what);
}

}  // namespace backplane::opencl
