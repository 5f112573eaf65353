// Collects verdicts: lines for people as they come, a summary, and JSON.
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backplane/error.hpp"

extern char** environ;

namespace conformance {

using backplane::to_string;

namespace {

constexpr std::array all_classes{DataClass::exact, DataClass::real, DataClass::special,
                                 DataClass::closed_form, DataClass::machinery};
constexpr std::array all_verdicts{Verdict::pass, Verdict::fail, Verdict::unsupported,
                                  Verdict::mistrusted, Verdict::crash};

// As one word of a shell's command line.
std::string shell_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace

std::string repeat_command(const Job& job, const std::string& case_name) {
  std::string line;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t value = text.find('=') + 1;
    if (!text.starts_with("BACKPLANE_") || value == 0) continue;
    line += fmt::format("{}{} ", text.substr(0, value), shell_word(text.substr(value)));
  }
  line += fmt::format("{} --device {} --seed {} --numerics {}", shell_word(job.program),
                      shell_word(job.device), job.seed, to_string(job.numerics));
  for (const std::string& option : job.options) line += " --option " + shell_word(option);
  return line + " " + shell_word(case_name);
}

void Report::add(const Job& job, const Case& one, const Result& result) {
  entries_.push_back({job, one.name, one.operation, one.data, result});
  const bool allowed = result.verdict == Verdict::pass ||
                       (result.verdict == Verdict::unsupported && manifest_.allows(one.name));
  if (!allowed) ++bad_;
  if (allowed && !verbose_) return;
  fmt::print("{:<11} {}{}{}\n", to_string(result.verdict), one.name,
             result.detail.empty() ? "" : ": ", result.detail);
  if (!allowed) fmt::print("            again: {}\n", repeat_command(job, one.name));
  std::fflush(stdout);
}

std::size_t Report::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      entries_, [&](const Entry& entry) { return entry.result.verdict == verdict; }));
}

Report::CountTable Report::counts() const {
  CountTable table;
  for (const Entry& entry : entries_) ++table[entry.operation][entry.data];
  return table;
}

void Report::print_summary() const {
  std::map<std::string, double> worst;
  for (const Entry& entry : entries_) {
    double& error = worst[entry.operation];
    if (entry.data == DataClass::real) error = std::max(error, entry.result.worst_error_over_bound);
  }
  fmt::print("{:<24}", "cases");
  for (const DataClass data : all_classes) fmt::print("{:>12}", to_string(data));
  fmt::print("{:>14}\n", "worst/bound");
  for (const auto& [operation, counts] : counts()) {
    fmt::print("{:<24}", operation);
    for (const DataClass data : all_classes) {
      const auto found = counts.find(data);
      fmt::print("{:>12}", found == counts.end() ? "-" : std::to_string(found->second));
    }
    fmt::print("{:>14.3g}\n", worst[operation]);
  }
  fmt::print("{} cases:", entries_.size());
  for (const Verdict verdict : all_verdicts)
    fmt::print(" {} {}", count(verdict), to_string(verdict));
  if (!entries_.empty()) {
    fmt::print("; device {}, seed {}", entries_.front().job.device, entries_.front().job.seed);
  }
  fmt::print("\n");
  if (entries_.empty()) fmt::print("no case matches: a run that checks nothing fails\n");
}

void Report::write_json(const std::string& path) const {
  nlohmann::ordered_json document;
  if (!entries_.empty()) {
    document["device"] = entries_.front().job.device;
    document["seed"] = entries_.front().job.seed;
  }
  for (const Verdict verdict : all_verdicts) {
    document["verdicts"][std::string(to_string(verdict))] = count(verdict);
  }
  document["good"] = good();
  for (const auto& [operation, counts] : counts()) {
    for (const auto& [data, number] : counts) {
      document["counts"][operation][std::string(to_string(data))] = number;
    }
  }
  document["cases"] = nlohmann::ordered_json::array();
  for (const Entry& entry : entries_) {
    const Result& result = entry.result;
    const bool finite = std::isfinite(result.worst_error_over_bound);
    document["cases"].push_back(
        {{"name", entry.name},
         {"operation", entry.operation},
         {"class", to_string(entry.data)},
         {"numerics", to_string(entry.job.numerics)},
         {"verdict", to_string(result.verdict)},
         {"detail", result.detail},
         {"implementation", result.implementation},
         {"worst_error_over_bound", finite ? nlohmann::json(result.worst_error_over_bound)
                                           : nlohmann::json()},  // infinite: no JSON number
         {"seconds", result.seconds}});
  }
  write_file(path, document.dump(2) + '\n');
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file) {
    throw backplane::Error(backplane::ErrorCode::invalid_argument,
                           "conformance: can't write the report to " + path);
  }
}

}  // namespace conformance
