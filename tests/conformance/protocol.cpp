// What a child process says to its parent: fields of one line, apart by tabs.
#include "protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace conformance {

namespace {

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

std::string format_result(const Result& result) {
  return fmt::format("{}\t{}\t{}\t{}\t{}", static_cast<int>(result.verdict),
                     result.worst_error_over_bound, result.seconds, one_line(result.implementation),
                     one_line(result.detail));
}

Result parse_result(const std::string& line) {
  std::istringstream fields(line);
  const auto next = [&] {
    std::string field;
    std::getline(fields, field, '\t');
    return field;
  };
  Result result;
  result.verdict = static_cast<Verdict>(std::stoi(next()));
  result.worst_error_over_bound = std::stod(next());
  result.seconds = std::stod(next());
  result.implementation = next();
  result.detail = next();
  return result;
}

}  // namespace conformance
