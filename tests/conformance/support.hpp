// What can be done at all: operation x type, for people and for the documentation.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "case.hpp"

namespace conformance {

// How many rows of one operation and type there are, and how many of them can be done.
struct Extent {
  std::size_t rows = 0, done = 0;
};

// By operation, then by the type of its first operand (of its output, where it has none).
using Support = std::map<std::string, std::map<DType, Extent>>;

// `can` is asked once for each row, in its plainest layout.
[[nodiscard]] Support support(const std::function<bool(const Case&)>& can);

// Whether a device makes a plan for a case; nothing is computed.
[[nodiscard]] bool can_plan(backplane::Device device, const Case& one);

[[nodiscard]] std::string support_text(const Support& support);
// Pretty JSON: {"device": ..., "operations": {"abs": {"f32": "all", "f64": "none"}}}.
[[nodiscard]] std::string support_json(const Support& support, const std::string& device);

// A Markdown page with a column for each manifest of the folder: what each back end takes.
[[nodiscard]] std::string support_page(const std::filesystem::path& manifests);

}  // namespace conformance
