// The settings of plans.
#include "plans.hpp"

#include <charconv>

namespace backplane::card {

bool Plans::set(const std::string& key, const std::string& value) {
  if (key != "convolution_scratch_bytes") return false;
  i64 bytes = 0;
  const char* const end = value.data() + value.size();
  const auto [read, error] = std::from_chars(value.data(), end, bytes);
  if (error != std::errc() || read != end || bytes < 1) {
    throw plugin::invalid(key + ": must be a whole number of bytes above 0, got '" + value + "'");
  }
  convolution_scratch_ = bytes;
  return true;
}

}  // namespace backplane::card
