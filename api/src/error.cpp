// Names of the error codes.
#include "backplane/error.hpp"

namespace backplane {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::out_of_range: return "out_of_range";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::data_corrupt: return "data_corrupt";
    case ErrorCode::backend_failure: return "backend_failure";
    case ErrorCode::device_lost: return "device_lost";
  }
  return "unknown";
}

}  // namespace backplane
