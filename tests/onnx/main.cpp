// backplane-onnx-nodes: does a device compute what the ONNX project says its operators are?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>

#include "backplane/backplane.hpp"
#include "choices.hpp"
#include "operators.hpp"
#include "values.hpp"

namespace {

using namespace onnx_nodes;
using backplane::Error;
using backplane::ErrorCode;

enum class Verdict { passed, passed_over, failed };

struct Outcome {
  Verdict verdict;
  std::string reason;
};

Outcome judged(Case& one) {
  const auto found = operators().find(one.node.operation());
  if (found == operators().end()) {
    return {Verdict::passed_over, "no operator " + one.node.operation()};
  }
  const std::vector<backplane::Tensor> outputs = found->second(one.node);
  if (const std::string unread = one.node.unread(); !unread.empty()) {
    return {Verdict::passed_over, "not read:" + unread};
  }
  for (std::size_t i = 0; i < one.expected.size(); ++i) {
    if (!one.expected[i].defined()) continue;
    if (i >= outputs.size()) return {Verdict::passed_over, fmt::format("no output {}", i)};
    const std::string difference = onnx_nodes::difference(outputs[i], one.expected[i]);
    if (!difference.empty()) return {Verdict::failed, fmt::format("output {}: {}", i, difference)};
  }
  return {Verdict::passed, ""};
}

Outcome judged(const std::filesystem::path& folder, backplane::Device device) {
  try {
    Case one = read_case(folder, device);
    return judged(one);
  } catch (const PassedOver& reason) {
    return {Verdict::passed_over, reason.what()};
  } catch (const Error& error) {
    // What this device declines is no fault of the operation's.
    const bool declined = error.code() == ErrorCode::unsupported;
    return {declined ? Verdict::passed_over : Verdict::failed, error.what()};
  } catch (const std::exception& error) {
    return {Verdict::failed, error.what()};
  }
}

// A difference that is the library's choice is none, and a choice without a difference is stale.
Outcome judged_by_choice(const std::string& name, const Outcome& outcome) {
  const std::string_view reason = choice(name);
  if (reason.empty() || outcome.verdict == Verdict::passed_over) return outcome;
  if (outcome.verdict == Verdict::failed) return {Verdict::passed_over, std::string(reason)};
  return {Verdict::failed, "choices.cpp has a row for it, yet nothing differs; drop the row"};
}

std::vector<std::filesystem::path> case_folders(const std::string& filter) {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(BACKPLANE_ONNX_NODES)) {
    if (entry.path().filename().string().find(filter) != std::string::npos) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

struct Options {
  std::string device = "reference:0", filter;
  std::size_t at_least = 1;
  bool list = false;
};

int judge_all(const Options& options) {
  const backplane::Device device = backplane::device(options.device);
  const backplane::DeviceGuard guard(device);
  std::size_t counts[3] = {};
  for (const auto& folder : case_folders(options.filter)) {
    const std::string name = folder.filename().string();
    const Outcome outcome = judged_by_choice(name, judged(folder, device));
    ++counts[static_cast<std::size_t>(outcome.verdict)];
    constexpr const char* words[] = {"passed", "passed over", "FAILED"};
    if (options.list || outcome.verdict == Verdict::failed) {
      fmt::print("{} {} {}\n", words[static_cast<std::size_t>(outcome.verdict)], name,
                 outcome.reason);
    }
  }
  fmt::print("{}: {} cases passed, {} passed over (--list has the reasons), {} failed\n",
             device.name(), counts[0], counts[1], counts[2]);
  if (counts[0] < options.at_least) {
    fmt::print("the number of cases that pass must be at least {}, it is {}\n", options.at_least,
               counts[0]);
    return 1;
  }
  return counts[2] == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Judges the operations of a device by the node tests of ONNX."};
  app.add_option("--device", options.device, "the device to judge")->capture_default_str();
  app.add_option("filter", options.filter, "part of a case's name");
  app.add_option("--at-least", options.at_least, "fail if fewer cases pass");
  app.add_flag("--list", options.list, "print each case, and why it is passed over");
  CLI11_PARSE(app, argc, argv);
  try {
    const int status = judge_all(options);
    backplane::shutdown();
    return status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
}
