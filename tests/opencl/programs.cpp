// The cache of compiled programs, and the texts that are compiled.
#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "kernels.hpp"
#include "program_cache.hpp"
#include "texts.hpp"

using namespace backplane::opencl;  // NOLINT: these are its parts
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("backplane-programs-" + std::to_string(getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }

  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path)) found.push_back(entry.path());
    return found;
  }
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("cache: gives back what was stored under the same key") {
  const Folder folder;
  const ProgramCache cache(folder.path);
  CHECK_FALSE(cache.load("key"));
  cache.store("key", std::string("bin\0ary", 7));
  CHECK(cache.load("key") == std::string("bin\0ary", 7));
  CHECK_FALSE(cache.load("another key"));
  cache.store("key", "newer");
  CHECK(cache.load("key") == "newer");
  CHECK(folder.files().size() == 1);  // no draft is left
}

TEST_CASE("cache: an entry that lacks a byte, or has a wrong one, is none") {
  const Folder folder;
  const ProgramCache cache(folder.path);
  cache.store("key", "binary");
  const fs::path file = folder.files().at(0);
  const std::string whole = contents(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    std::ofstream(file, std::ios::binary) << damaged;
    CHECK_FALSE(cache.load("key"));
    std::ofstream(file, std::ios::binary) << whole.substr(0, i);
    CHECK_FALSE(cache.load("key"));
  }
  std::ofstream(file, std::ios::binary) << whole;
  CHECK(cache.load("key") == "binary");
}

TEST_CASE("cache: what was written first goes when there is too much") {
  const Folder folder;
  const ProgramCache cache(folder.path, 1000);
  const std::string binary(300, 'x');
  for (const char* key : {"a", "b", "c", "d"}) {
    cache.store(key, binary);
    for (const fs::path& file : folder.files()) {  // older, whatever the clock's steps are
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(10));
    }
  }
  CHECK_FALSE(cache.load("a"));
  CHECK(cache.load("b") == binary);
  CHECK(cache.load("d") == binary);
  cache.store("large", std::string(2000, 'x'));
  CHECK_FALSE(cache.load("large"));
  CHECK(cache.load("d") == binary);
}

TEST_CASE("cache: what a process left when it died goes as well") {
  const Folder folder;
  const ProgramCache cache(folder.path, 1000);
  cache.store("a", "binary");
  const fs::path draft = folder.path / "0123.program.1";
  std::ofstream(draft) << std::string(2000, 'x');
  fs::last_write_time(draft, fs::last_write_time(draft) - std::chrono::hours(1));
  cache.store("b", "binary");
  CHECK_FALSE(fs::exists(draft));
  CHECK(cache.load("a") == "binary");
  CHECK(cache.load("b") == "binary");
}

TEST_CASE("cache: a folder that can't be written, or none, costs nothing but time") {
  const ProgramCache nowhere("/proc/backplane"), none("");
  for (const ProgramCache& cache : {nowhere, none}) {
    cache.store("key", "binary");
    CHECK_FALSE(cache.load("key"));
  }
}

TEST_CASE("texts: every kernel stands in one, whose includes are all there") {
  for (std::uint32_t number = 0; number < kernel_count; ++number) {
    CAPTURE(kernel_name(number));
    const Text* text = text_of_kernel(kernel_name(number));
    REQUIRE(text != nullptr);
    const std::string whole = expand(*text);
    CHECK(whole.find("#define KERNEL(") != std::string::npos);
    CHECK(whole.find("#include \"nest.h\"") == std::string::npos);
  }
  CHECK(text_of_kernel("no_such_kernel") == nullptr);
}
