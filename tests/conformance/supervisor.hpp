// Runs cases in a child process, so that a crash or a hang costs one case and not the run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "case.hpp"
#include "runner.hpp"

namespace conformance {

// What parent and child must agree on; the child gets it on its command line.
struct Job {
  std::string program = {};  // path of backplane-conformance
  std::string device = {}, filter = {};
  std::vector<std::string> options = {};  // settings of the device, as in "convolution=cudnn"
  int level = highest_level;
  bool gradients = false;  // only cases that judge gradients
  std::uint64_t seed = 1;
  backplane::Numerics numerics = backplane::Numerics::strict;
  double seconds_per_case = 120;
};

// The device of a job, with its settings. Error(invalid_argument) for one without '='.
[[nodiscard]] backplane::Device device_of(const Job& job);

// The cases of a job, the same and in the same order in parent and child.
[[nodiscard]] std::vector<Case> chosen_cases(const Job& job);

// Whether to go on: a caller that has seen enough saves the cases that are left.
using Tell = std::function<bool(const Case&, const Result&)>;

// In the parent: tells each result as it comes. Case i of chosen_cases is told once, in order.
// Error if a child ends before it has begun a case, as when there is no such device.
void supervise(const Job& job, const Tell& tell);

// In the child: runs the cases from `first` on and writes their results to file descriptor
// `worker_descriptor`.
inline constexpr int worker_descriptor = 3;
void work(const Job& job, std::size_t first);

// In this process, for a debugger.
void run_here(const Job& job, const Tell& tell);

}  // namespace conformance
