// Absent: a back end or device that has no figures, with the reason and the repair.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "backplane/error.hpp"

namespace backplane::cli {

struct Absent {
  std::string backend, device;  // no device: the whole back end is absent
  ErrorCode code;
  std::string reason, repair;
};

// The back ends that the library has no device of, or refused to load.
[[nodiscard]] std::vector<Absent> absent_entries();
// A device that was there and failed.
[[nodiscard]] Absent failed_device(const std::string& backend, const std::string& device,
                                   const Error& error);

[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Absent>& absent);
[[nodiscard]] std::string to_text(const std::vector<Absent>& absent);  // a line each

}  // namespace backplane::cli
