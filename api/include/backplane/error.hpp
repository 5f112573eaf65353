// The one exception that the library throws.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace backplane {

enum class ErrorCode {
  invalid_argument,  // the call breaks a rule: shape, type, option, state
  out_of_range,      // an index or label outside its bounds
  unsupported,       // this device can't do it; the text says which one can
  out_of_memory,     // the device, or the limit set on it, has no room
  not_found,         // no such device, file, option or name
  data_corrupt,      // a file isn't what it says it is
  backend_failure,   // the vendor's library reported a fault
  device_lost        // the device stopped answering
};

// As in "invalid_argument".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

// what() reads "subject: rule, facts; repair".
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace backplane
