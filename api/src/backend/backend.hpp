// A loaded plug-in and how its statuses become errors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/device.hpp"
#include "backplane/plugin/abi.h"

namespace backplane::detail {

struct Backend {
  const bp_backend* table;
  std::string name, version;
  std::filesystem::path path;
};

// A plug-in that can't be used, and why.
struct Refusal {
  AbsentBackend absent;
  std::filesystem::path path;
};

struct LoadResult {
  std::vector<Backend> backends;
  std::vector<Refusal> refusals;
};

// Opens every libbackplane-<name>.so of these folders; the first of two with one name wins.
[[nodiscard]] LoadResult load_backends(const std::vector<std::filesystem::path>& folders);

// BACKPLANE_BACKEND_PATH, then the folder of this library.
[[nodiscard]] std::vector<std::filesystem::path> backend_folders();

// The services that plug-ins may call.
[[nodiscard]] const bp_host& host_table();

[[nodiscard]] ErrorCode code_of(bp_status status) noexcept;

// Throws what the plug-in said unless the status is BP_OK. `subject` opens the message.
void check(bp_status status, const Backend& backend, std::string_view subject);

// The same for a slot that makes something: it must also hand it over.
void check_made(bp_status status, const void* made, const Backend& backend,
                std::string_view subject);

}  // namespace backplane::detail
