// Compiled programs on disk, so that only the first run of a program waits for the driver's
// compiler.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace backplane::opencl {

// A folder of entries, each found by everything that its content depends on. It is a help and never
// a condition: where it can't be read or written, programs are compiled. Several processes may use
// one folder: entries are written beside it and renamed.
class ProgramCache {
 public:
  // Beyond `most_bytes` the entries that were written first go.
  explicit ProgramCache(std::filesystem::path folder, std::uint64_t most_bytes = 64 << 20);

  // Nothing if there is none, or if it is damaged.
  [[nodiscard]] std::optional<std::string> load(const std::string& key) const;
  void store(const std::string& key, const std::string& binary) const;

  // $XDG_CACHE_HOME/backplane/opencl or ~/.cache/backplane/opencl; empty where neither is known.
  [[nodiscard]] static std::filesystem::path default_folder();

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;
  void evict() const;

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
};

}  // namespace backplane::opencl
