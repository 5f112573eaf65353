// Names that outlive whoever brought them.
#include "dispatch/interned.hpp"

#include <mutex>
#include <set>
#include <string>

namespace backplane::detail {

const char* interned(std::string_view name) {
  static std::mutex mutex;
  static auto& names =
      *new std::set<std::string, std::less<>>();  // never destroyed: nodes use them
  const std::scoped_lock lock(mutex);
  const auto place = names.find(name);
  return (place != names.end() ? place : names.emplace(name).first)->c_str();
}

}  // namespace backplane::detail
