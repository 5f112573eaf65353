// Absent: gathered from the library, printed and written the same by every command.
#include "absent.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "backplane/device.hpp"

namespace backplane::cli {

std::vector<Absent> absent_entries() {
  std::vector<Absent> absent;
  for (const AbsentBackend& entry : absent_backends()) {
    absent.push_back({entry.backend, "", entry.code, entry.reason, entry.repair});
  }
  return absent;
}

Absent failed_device(const std::string& backend, const std::string& device, const Error& error) {
  // An error's text is "subject: rule, facts; repair".
  const std::string text = error.what();
  const std::size_t end = text.rfind("; ");
  if (end == std::string::npos) return {backend, device, error.code(), text, ""};
  return {backend, device, error.code(), text.substr(0, end), text.substr(end + 2)};
}

nlohmann::ordered_json to_json(const std::vector<Absent>& absent) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Absent& entry : absent) {
    nlohmann::ordered_json device;  // null when it is the whole back end
    if (!entry.device.empty()) device = entry.device;
    list.push_back({{"backend", entry.backend},
                    {"device", device},
                    {"code", backplane::to_string(entry.code)},
                    {"reason", entry.reason},
                    {"repair", entry.repair}});
  }
  return list;
}

std::string to_text(const std::vector<Absent>& absent) {
  std::string text;
  for (const Absent& entry : absent) {
    const bool failed = !entry.device.empty();
    text += fmt::format("{} {}: {}", failed ? entry.device : entry.backend,
                        failed ? "failed" : "absent", entry.reason);
    text += entry.repair.empty() ? "\n" : fmt::format("; {}\n", entry.repair);
  }
  return text;
}

}  // namespace backplane::cli
