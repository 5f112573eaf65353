// Finds plug-ins, shakes hands with them, and keeps the reason for each that it refuses.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "backend/backend.hpp"
#include "check.hpp"

namespace backplane::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "libbackplane-", suffix = ".so";

std::string stem_of(const fs::path& path) {
  const std::string file = path.filename().string();
  return file.substr(prefix.size(), file.size() - prefix.size() - suffix.size());
}

struct Refused {
  ErrorCode code;
  std::string reason, repair;
};

// The slots that every plug-in must fill, checked as one block of pointers.
bool complete(const bp_backend& table) {
  const void* const* first = reinterpret_cast<const void* const*>(&table.diagnose);
  const void* const* last = reinterpret_cast<const void* const*>(&table.last_error);
  return std::find(first, last + 1, nullptr) == last + 1;
}

// Optional slots that make sense together only.
bool consistent(const bp_backend& t) {
  const bool pinned = t.host_alloc != nullptr, sequences = t.sequence_begin != nullptr;
  return pinned == (t.host_free != nullptr) && pinned == (t.upload_pinned != nullptr) &&
         sequences == (t.sequence_end != nullptr) && sequences == (t.sequence_run != nullptr) &&
         sequences == (t.sequence_destroy != nullptr);
}

// What may stand before the colon of "cuda:0"; three words mean something else there.
bool proper_name(std::string_view name) {
  const auto proper = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return std::all_of(name.begin(), name.end(), proper) && name != "host" && name != "cpu" &&
         name != "gpu";
}

void check_hand_shake(const bp_backend* table) {
  if (table == nullptr) {
    throw Refused{ErrorCode::unsupported,
                  fmt::format("its entry refused this program (plug-in ABI {}.{})", BP_ABI_MAJOR,
                              BP_ABI_MINOR),
                  "install the plug-in that belongs to this version of backplane"};
  }
  // Below 1.0 the versions must be equal; the first four fields never move.
  if (table->abi_major != BP_ABI_MAJOR || table->abi_minor != BP_ABI_MINOR) {
    throw Refused{ErrorCode::unsupported,
                  fmt::format("it speaks plug-in ABI {}.{}, this program {}.{}", table->abi_major,
                              table->abi_minor, BP_ABI_MAJOR, BP_ABI_MINOR),
                  "rebuild the plug-in against this version of backplane"};
  }
  if (table->struct_size != sizeof(bp_backend)) {
    throw Refused{ErrorCode::unsupported,
                  fmt::format("its table has {} bytes, this program's {}", table->struct_size,
                              sizeof(bp_backend)),
                  "rebuild the plug-in against this version of backplane"};
  }
  if (table->name == nullptr || *table->name == '\0' || table->version == nullptr) {
    throw Refused{ErrorCode::invalid_argument, "its table has no name or no version",
                  "the author sets both in the back end's class"};
  }
  if (!proper_name(table->name)) {
    throw Refused{ErrorCode::invalid_argument,
                  fmt::format("its name '{}' can't be used in a device name", table->name),
                  "the author takes lower-case letters, digits, '_' and '-', and not host, cpu or gpu"};
  }
  if (!complete(*table) || !consistent(*table)) {
    throw Refused{ErrorCode::invalid_argument,
                  complete(*table) ? "its table fills a part of the slots for pinned memory or for "
                                     "sequences"
                                   : "its table leaves a slot empty",
                  "the author builds the table with BACKPLANE_BACKEND"};
  }
}

const bp_backend* call_entry(bp_entry entry) {
  std::string said = "an exception that is no std::exception";
  try {
    return entry(&host_table());
  } catch (const std::exception& error) {
    said = error.what();
  } catch (...) {  // a library of its own may throw anything
  }
  throw Refused{ErrorCode::backend_failure, fmt::format("its entry threw: {}", said),
                "the author catches in the entry and returns null"};
}

Backend open_backend(const fs::path& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Refused{ErrorCode::backend_failure, dlerror(), "reinstall it or what it needs"};
  }
  const auto entry = reinterpret_cast<bp_entry>(dlsym(library, "backplane_backend"));
  if (entry == nullptr) {
    throw Refused{ErrorCode::invalid_argument, "it exports no symbol 'backplane_backend'",
                  "build it with backplane_add_backend and BACKPLANE_BACKEND"};
  }
  const bp_backend* table = call_entry(entry);
  check_hand_shake(table);
  return {table, table->name, table->version, path};
}

std::vector<fs::path> plugins_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;  // a folder that can't be read has no plug-ins
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(prefix) && file.ends_with(suffix)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<fs::path> backend_folders() {
  std::vector<fs::path> folders;
  if (const char* listed = std::getenv("BACKPLANE_BACKEND_PATH")) {
    std::istringstream stream(listed);
    for (std::string folder; std::getline(stream, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&backend_folders), &self) != 0 && self.dli_fname != nullptr) {
    folders.push_back(fs::path(self.dli_fname).parent_path());
  }
  return folders;
}

LoadResult load_backends(const std::vector<fs::path>& folders) {
  LoadResult result;
  std::vector<fs::path> seen;
  for (const fs::path& folder : folders) {
    for (const fs::path& path : plugins_in(folder)) {
      std::error_code ignored;
      const fs::path real = fs::weakly_canonical(path, ignored);
      if (std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
      seen.push_back(real);
      try {
        Backend backend = open_backend(path);
        const auto same = [&](const Backend& other) { return other.name == backend.name; };
        const auto first = std::find_if(result.backends.begin(), result.backends.end(), same);
        if (first != result.backends.end()) {
          throw Refused{ErrorCode::invalid_argument,
                        fmt::format("{} has the same name '{}'", first->path.string(), first->name),
                        "remove one, or put the wanted one first in BACKPLANE_BACKEND_PATH"};
        }
        result.backends.push_back(std::move(backend));
      } catch (const Refused& why) {
        result.refusals.push_back(
            {{stem_of(path), why.code, fmt::format("{}: {}", path.string(), why.reason), why.repair},
             path});
      }
    }
  }
  return result;
}

}  // namespace backplane::detail
