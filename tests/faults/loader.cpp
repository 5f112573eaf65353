// The loader: every library that can't be used is refused with the reason and the repair.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "backend/backend.hpp"

using namespace backplane;

namespace {

namespace fs = std::filesystem;

const fs::path plugins = BACKPLANE_TEST_PLUGINS;

// As in "code: backend: reason; repair".
std::string text_of(const detail::Refusal& refusal) {
  const AbsentBackend& absent = refusal.absent;
  return std::string(to_string(absent.code)) + ": " + absent.backend + ": " + absent.reason + "; " +
         absent.repair;
}

// The one refusal of the plug-in in a folder of its own; its path is left out.
std::string refusal_of(const std::string& name) {
  const detail::LoadResult result = detail::load_backends({plugins / name});
  REQUIRE(result.backends.empty());
  REQUIRE(result.refusals.size() == 1);
  std::string text = text_of(result.refusals[0]);
  const std::string path = result.refusals[0].path.string() + ": ";
  const std::size_t at = text.find(path);
  REQUIRE(at != std::string::npos);
  return text.erase(at, path.size());
}

}  // namespace

TEST_CASE("loader: a plug-in without fault is accepted") {
  const detail::LoadResult result = detail::load_backends({plugins / "sound"});
  CHECK(result.refusals.empty());
  REQUIRE(result.backends.size() == 2);
  CHECK(result.backends[0].name == "mirror");
  CHECK(result.backends[0].version == "1");
  CHECK(result.backends[0].path == plugins / "sound" / "libbackplane-mirror.so");
}

TEST_CASE("loader: a file that is no library") {
  const std::string text = refusal_of("no_library");
  CHECK(text.starts_with("backend_failure: no_library: "));
  CHECK(text.ends_with("; reinstall it or what it needs"));
}

TEST_CASE("loader: no entry") {
  CHECK(refusal_of("entryless") ==
        "invalid_argument: entryless: it exports no symbol 'backplane_backend'; build it with "
        "backplane_add_backend and BACKPLANE_BACKEND");
}

TEST_CASE("loader: another version names both, and the repair") {
  const auto version = [](int minor) {
    return std::to_string(BP_ABI_MAJOR) + "." + std::to_string(minor);
  };
  CHECK(refusal_of("other_version") ==
        "unsupported: other_version: it speaks plug-in ABI " + version(BP_ABI_MINOR + 1) +
            ", this program " + version(BP_ABI_MINOR) +
            "; rebuild the plug-in against this version of backplane");
}

TEST_CASE("loader: a table of another size") {
  CHECK(refusal_of("other_size") ==
        "unsupported: other_size: its table has " + std::to_string(sizeof(bp_backend) - 8) +
            " bytes, this program's " + std::to_string(sizeof(bp_backend)) +
            "; rebuild the plug-in against this version of backplane");
}

TEST_CASE("loader: an empty slot, no name, a name that means something else") {
  CHECK(refusal_of("empty_slot") ==
        "invalid_argument: empty_slot: its table leaves a slot empty; the author builds the table "
        "with BACKPLANE_BACKEND");
  CHECK(refusal_of("half_group") ==
        "invalid_argument: half_group: its table fills a part of the slots for pinned memory or "
        "for sequences; the author builds the table with BACKPLANE_BACKEND");
  CHECK(refusal_of("nameless") ==
        "invalid_argument: nameless: its table has no name or no version; the author sets both in "
        "the back end's class");
  CHECK(
      refusal_of("reserved_name") ==
      "invalid_argument: reserved_name: its name 'gpu' can't be used in a device name; the author "
      "takes lower-case letters, digits, '_' and '-', and not host, cpu or gpu");
}

TEST_CASE("loader: an entry that refuses, or throws") {
  CHECK(refusal_of("no_table") ==
        "unsupported: no_table: its entry refused this program (plug-in ABI " +
            std::to_string(BP_ABI_MAJOR) + "." + std::to_string(BP_ABI_MINOR) +
            "); install the plug-in that belongs to this version of backplane");
  CHECK(refusal_of("throwing_entry") ==
        "backend_failure: throwing_entry: its entry threw: the entry is broken; the author catches "
        "in the entry and returns null");
  CHECK(refusal_of("throwing_int") ==
        "backend_failure: throwing_int: its entry threw: an exception that is no std::exception; "
        "the author catches in the entry and returns null");
}

TEST_CASE("loader: of two with one name the first wins") {
  const detail::LoadResult result =
      detail::load_backends({plugins / "twin_b", plugins / "twin_a", plugins / "twin_b"});
  REQUIRE(result.backends.size() == 1);
  const fs::path first = plugins / "twin_b" / "libbackplane-twin_b.so";
  CHECK(result.backends[0].path == first);
  REQUIRE(result.refusals.size() == 1);  // the same file a second time is no second plug-in
  const std::string path = (plugins / "twin_a" / "libbackplane-twin_a.so").string();
  CHECK(text_of(result.refusals[0]) ==
        "invalid_argument: twin_a: " + path + ": " + first.string() +
            " has the same name 'twin'; remove one, or put the wanted one first in "
            "BACKPLANE_BACKEND_PATH");
}

TEST_CASE("loader: links that lead nowhere, other files and missing folders") {
  const fs::path folder = plugins / "strays";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::create_symlink("nowhere.so", folder / "libbackplane-first.so");
  fs::create_symlink("nowhere either.so", folder / "libbackplane-second.so");
  std::ofstream(folder / "libbackplane.so") << "the library itself is no plug-in";
  std::ofstream(folder / "notes.txt") << "nor is this";
  const detail::LoadResult result = detail::load_backends({folder, plugins / "missing"});
  CHECK(result.backends.empty());
  CHECK(result.refusals.size() == 2);
}
