// What a child process says to its parent: one line as a case begins, one line as it ends.
#pragma once

#include <string>
#include <string_view>

#include "runner.hpp"

namespace conformance {

inline constexpr std::string_view begin_line = "begin";

[[nodiscard]] std::string format_result(const Result& result);
[[nodiscard]] Result parse_result(const std::string& line);

}  // namespace conformance
