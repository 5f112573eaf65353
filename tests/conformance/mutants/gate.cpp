// The mutation gate: every mutant must be caught, and the shim without one must pass.
//
// A conformance suite is only as good as the faults that it sees. A mutant that survives is a hole
// in the cases, to be closed by a row, not by a weaker mutant.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "mutant.hpp"
#include "supervisor.hpp"

namespace {

using conformance::Case;
using conformance::Result;
using conformance::Verdict;

// What a run over a mutant's filter found, up to the first case that isn't PASS: one is enough.
struct Findings {
  std::size_t cases = 0;
  std::string first;
};

Findings judge(const conformance::Job& job, const mutants::Mutant& mutant, bool broken) {
  setenv("BACKPLANE_MUTANT", broken ? mutant.name : "", 1);
  mutant.asynchronous ? setenv("BACKPLANE_REFERENCE_ASYNC", "1", 1)
                      : unsetenv("BACKPLANE_REFERENCE_ASYNC");
  conformance::Job filtered = job;
  filtered.filter = mutant.filter;
  Findings findings;
  conformance::supervise(filtered, [&](const Case& one, const Result& result) {
    ++findings.cases;
    if (result.verdict == Verdict::pass) return true;
    findings.first = fmt::format("{} {}: {}", to_string(result.verdict), one.name, result.detail);
    return false;
  });
  return findings;
}

// Sound: no mutant. Several mutants may ask for the same cases, which pass or fail once.
class SoundRuns {
 public:
  explicit SoundRuns(const conformance::Job& job) : job_(job) {}

  [[nodiscard]] bool pass(const mutants::Mutant& mutant) {
    const std::pair key{std::string(mutant.filter), mutant.asynchronous};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const Findings sound = judge(job_, mutant, false);
    if (sound.cases == 0) {
      fmt::print("{}: no case matches '{}'\n", mutant.name, mutant.filter);
    } else if (!sound.first.empty()) {
      fmt::print("{}: the shim fails without a mutant: {}\n", mutant.name, sound.first);
    }
    return known_[key] = sound.cases > 0 && sound.first.empty();
  }

 private:
  const conformance::Job& job_;
  std::map<std::pair<std::string, bool>, bool> known_;
};

bool is_caught(const conformance::Job& job, const mutants::Mutant& mutant) {
  const Findings findings = judge(job, mutant, true);
  if (findings.first.empty()) {
    fmt::print("  {:<24} SURVIVES {}: none of {} cases of '{}' saw it\n", mutant.name,
               mutant.breaks, findings.cases, mutant.filter);
    return false;
  }
  fmt::print("  {:<24} caught by case {}: {}\n{:<26} {}\n", mutant.name, findings.cases,
             mutant.breaks, "", findings.first);
  return true;
}

// The fewest mutants that a family must have.
std::size_t fewest(std::string_view family) {
  return family == "machinery" ? 10 : 3;
}

}  // namespace

int main(int argc, char** argv) {
  conformance::Job job;
  job.device = "mutant:0";
  std::string target, mutant_directory, only;
  CLI::App app{"Breaks a back end in one way after the other; each must be caught."};
  app.add_option("--conformance", job.program, "path of backplane-conformance")->required();
  app.add_option("--target", target, "the plug-in to break")->required();
  app.add_option("--mutants", mutant_directory, "where libbackplane-mutant.so lies")->required();
  app.add_option("mutant", only, "only this one, or this family");
  CLI11_PARSE(app, argc, argv);
  setenv("BACKPLANE_BACKEND_PATH", mutant_directory.c_str(), 1);
  setenv("BACKPLANE_MUTANT_TARGET", target.c_str(), 1);
  std::size_t tried = 0, good = 0;
  bool enough = true;
  SoundRuns sound(job);
  try {
    for (const mutants::Family& family : mutants::all_families()) {
      fmt::print("{}\n", family.name);
      if (family.mutants.size() < fewest(family.name)) {
        fmt::print("  a family must have {} mutants, it has {}\n", fewest(family.name),
                   family.mutants.size());
        enough = false;
      }
      for (const mutants::Mutant& mutant : family.mutants) {
        if (!only.empty() && only != mutant.name && only != family.name) continue;
        ++tried;
        if (sound.pass(mutant) && is_caught(job, mutant)) ++good;
        std::fflush(stdout);
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  fmt::print("{} of {} mutants were caught\n", good, tried);
  return tried > 0 && good == tried && enough ? 0 : 1;
}
