// An entry is a file: its length and hash, its key, and the driver's binary.
#include "program_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

namespace backplane::opencl {
namespace {

namespace fs = std::filesystem;

constexpr const char* suffix = ".program";

// Fowler, Noll and Vo's FNV-1a: it is for finding and for damage, not for secrets.
std::uint64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const unsigned char c : text) value = (value ^ c) * 0x100000001b3u;
  return value;
}

struct Header {
  std::uint64_t key_bytes, binary_bytes, hash;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// The keys are compared as well, so that two with one hash don't meet.
std::optional<std::string> binary_in(const std::string& file, const std::string& key) {
  Header header{};
  if (file.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, file.data(), sizeof header);
  const std::string rest = file.substr(sizeof header);
  if (header.key_bytes != key.size() || rest.size() != header.key_bytes + header.binary_bytes ||
      header.hash != hash(rest) || !rest.starts_with(key)) {
    return std::nullopt;
  }
  return rest.substr(key.size());
}

}  // namespace

ProgramCache::ProgramCache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path ProgramCache::default_folder() {
  const auto set = [](const char* variable) -> fs::path {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '/' ? value : "";  // XDG: relative paths don't count
  };
  if (const fs::path cache = set("XDG_CACHE_HOME"); !cache.empty()) {
    return cache / "backplane" / "opencl";
  }
  if (const fs::path home = set("HOME"); !home.empty()) {
    return home / ".cache" / "backplane" / "opencl";
  }
  return {};
}

fs::path ProgramCache::file_of(const std::string& key) const {
  std::ostringstream name;
  name << std::hex << hash(key) << suffix;
  return folder_ / name.str();
}

std::optional<std::string> ProgramCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  return binary_in(read_file(file_of(key)), key);
}

void ProgramCache::store(const std::string& key, const std::string& binary) const {
  if (folder_.empty() || binary.size() > most_bytes_) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) return;
  const fs::path target = file_of(key);
  fs::path draft = target;
  draft += "." + std::to_string(getpid());
  const std::string content = key + binary;
  const Header header{key.size(), binary.size(), hash(content)};
  {
    std::ofstream file(draft, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) fs::rename(draft, target, failed);
  if (failed) fs::remove(draft, failed);
  evict();
}

// Drafts that a process left when it died are files like others.
void ProgramCache::evict() const {
  struct Entry {
    fs::path path;
    fs::file_time_type written;
    std::uint64_t bytes;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code ignored;  // another process may remove files meanwhile
  for (const auto& file : fs::directory_iterator(folder_, ignored)) {
    std::error_code gone;
    const Entry entry{file.path(), file.last_write_time(gone), file.file_size(gone)};
    if (gone) continue;
    entries.push_back(entry);
    total += entry.bytes;
  }
  std::ranges::sort(entries, {}, &Entry::written);
  for (const Entry& entry : entries) {
    if (total <= most_bytes_) return;
    fs::remove(entry.path, ignored);
    total -= entry.bytes;
  }
}

}  // namespace backplane::opencl
