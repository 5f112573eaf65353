// Runs cases in a child process, so that a crash or a hang costs one case and not the run.
#include "supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "child.hpp"
#include "protocol.hpp"

namespace conformance {

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// Each costs a process and maybe a time limit: a device that is broken through must not cost hours.
constexpr std::size_t most_crashes = 20;

std::vector<std::string> command_line(const Job& job, std::size_t first) {
  std::vector<std::string> words{job.program,
                                 "--device",
                                 job.device,
                                 "--seed",
                                 std::to_string(job.seed),
                                 "--numerics",
                                 std::string(to_string(job.numerics)),
                                 "--level",
                                 std::to_string(job.level),
                                 "--mode",
                                 job.gradients ? "grad" : "test",
                                 "--worker",
                                 std::to_string(first)};
  for (const std::string& option : job.options) words.push_back("--option=" + option);
  if (!job.filter.empty()) words.push_back(job.filter);
  return words;
}

}  // namespace

Device device_of(const Job& job) {
  const Device device = backplane::device(job.device);
  for (const std::string& option : job.options) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("conformance: an option must be of the form key=value, got '{}'", option));
    }
    device.set_option(option.substr(0, equals), option.substr(equals + 1));
  }
  return device;
}

std::vector<Case> chosen_cases(const Job& job) {
  std::vector<Case> chosen;
  const Suite suite = all_cases();
  for (const Case& one : suite.cases()) {
    const bool wanted = one.level <= job.level && belongs_to(one, job.numerics) &&
                        (!job.gradients || judges_gradient(one));
    if (wanted && matches(job.filter, one.name)) chosen.push_back(one);
  }
  return chosen;
}

void supervise(const Job& job, const Tell& tell) {
  const std::vector<Case> cases = chosen_cases(job);
  std::size_t next = 0, crashes = 0;
  while (next < cases.size()) {
    Child child(command_line(job, next), worker_descriptor);
    bool begun = false;
    while (const auto line = child.line(job.seconds_per_case)) {
      if (*line == begin_line) {
        begun = true;
      } else if (!tell(cases.at(next++), parse_result(*line))) {
        return;
      }
    }
    const std::string ending = child.end();
    if (ending.empty() && next == cases.size()) return;
    if (!begun) {
      throw Error(ErrorCode::backend_failure,
                  fmt::format("conformance: the process for {} {} before its first case",
                              job.device, ending.empty() ? "ended" : ending));
    }
    Result crash;
    crash.verdict = Verdict::crash;
    crash.detail = ending;
    if (next == cases.size()) crash.detail += ", after its last case was done";
    if (!tell(cases[std::min(next, cases.size() - 1)], crash)) return;
    ++next;
    if (++crashes == most_crashes) {
      throw Error(ErrorCode::backend_failure,
                  fmt::format("conformance: {} crashed {} times, {} cases were not run; repair the "
                              "first crash, or name cases with a filter",
                              job.device, crashes, cases.size() - std::min(next, cases.size())));
    }
  }
}

void run_here(const Job& job, const Tell& tell) {
  Runner runner({.device = device_of(job), .seed = job.seed, .numerics = job.numerics});
  for (const Case& one : chosen_cases(job)) {
    if (!tell(one, runner.run(one))) return;
  }
}

void work(const Job& job, std::size_t first) {
  Runner runner({.device = device_of(job), .seed = job.seed, .numerics = job.numerics});
  const std::vector<Case> cases = chosen_cases(job);
  const auto put = [](const std::string& line) {
    if (write(worker_descriptor, line.data(), line.size()) < 0) {
      throw Error(ErrorCode::backend_failure, "conformance: the parent doesn't listen any more");
    }
  };
  for (std::size_t i = first; i < cases.size(); ++i) {
    put(std::string(begin_line) + "\n");
    put(format_result(runner.run(cases[i])) + "\n");
  }
}

}  // namespace conformance
