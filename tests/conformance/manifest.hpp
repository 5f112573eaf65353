// What a back end says it can't do: UNSUPPORTED is legal for these cases only.
#pragma once

#include <string>
#include <vector>

namespace conformance {

class Manifest {
 public:
  // A file of filters, one a line; # starts a comment. Without a file everything may be declined.
  Manifest() = default;
  explicit Manifest(const std::string& path);  // Error(not_found)
  [[nodiscard]] bool allows(const std::string& case_name) const;

 private:
  bool restricts_ = false;
  std::vector<std::string> filters_;
};

}  // namespace conformance
