// What a back end says it can't do: UNSUPPORTED is legal for these cases only.
#include "manifest.hpp"

#include <algorithm>
#include <fstream>

#include "backplane/error.hpp"
#include "case.hpp"

namespace conformance {

Manifest::Manifest(const std::string& path) : restricts_(true) {
  std::ifstream file(path);
  if (!file) {
    throw backplane::Error(backplane::ErrorCode::not_found,
                           "conformance: can't read the manifest " + path);
  }
  for (std::string line; std::getline(file, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) filters_.push_back(line);
  }
}

bool Manifest::allows(const std::string& case_name) const {
  if (!restricts_) return true;
  return std::ranges::any_of(filters_, [&](const std::string& f) { return matches(f, case_name); });
}

}  // namespace conformance
