// PythonPeer: speaks the protocol of tools/bench/peer.py, which is built into the program.
#include "python_peer.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "backplane/error.hpp"
#include "python_modules.hpp"

namespace backplane::cli {
namespace {

using nlohmann::json;

// Makes modules of the texts among the arguments, NAME TEXT each up to "--", and runs the last one.
constexpr const char* run_modules = R"(
import sys, types
texts = sys.argv[1:sys.argv.index("--")]
sys.argv = sys.argv[len(texts) + 1:]
for name, text in zip(texts[::2], texts[1::2]):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec"), module.__dict__)
)";

// glibc gives large blocks back to the system at once, and then every step faults its memory in
// anew: PyTorch's epoch took 250 s so, and 19.5 s with these settings. We keep our memory, so a
// fair peer must, too.
std::vector<std::string> peer_environment(std::uint32_t threads) {
  return {"MALLOC_MMAP_THRESHOLD_=4294967296", "MALLOC_TRIM_THRESHOLD_=68719476736",
          "MALLOC_TOP_PAD_=268435456", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1",
          fmt::format("OMP_NUM_THREADS={}", threads)};
}

std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("BACKPLANE_PYTHON")) return {chosen};
  return {"python3", "/usr/bin/python3"};
}

std::vector<std::string> command_line(const std::string& python, std::uint32_t threads,
                                      const std::string& device) {
  std::vector<std::string> arguments{python, "-c", run_modules};
  for (const PythonModule& module : python_modules) {
    arguments.emplace_back(module.name);
    arguments.emplace_back(module.text);
  }
  for (const std::string& argument : {std::string("--"), std::to_string(threads), device}) {
    arguments.push_back(argument);
  }
  return arguments;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::size_t begin = 0, end;
  while ((end = text.find(at, begin)) != std::string::npos) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

PythonPeer::PythonPeer(std::uint32_t threads, std::string device) : device_(std::move(device)) {
  std::string reasons;
  for (const std::string& python : candidates()) {
    const std::string reason = start(python, threads);
    if (reason.empty()) return;
    reasons += (reasons.empty() ? "" : ", ") + reason;
  }
  throw Error(ErrorCode::not_found,
              fmt::format("torch: a Python with PyTorch must be there, {}; install python3-torch "
                          "or set BACKPLANE_PYTHON",
                          reasons));
}

std::string PythonPeer::start(const std::string& python, std::uint32_t threads) {
  try {
    process_.emplace(command_line(python, threads, device_), peer_environment(threads));
    return read_greeting(python, threads);
  } catch (const Error& error) {
    return error.what();
  } catch (const json::exception&) {
    return fmt::format("{}: must greet with a line of JSON, as tools/bench/peer.py does", python);
  }
}

std::string PythonPeer::read_greeting(const std::string& python, std::uint32_t threads) {
  const json greeting = json::parse(process_->read_line());
  if (greeting.contains("error")) {
    return fmt::format("{}: {}", python, greeting["error"].get<std::string>());
  }
  std::string libraries;
  for (const auto& [name, version] : greeting.at("libraries").items()) {
    libraries += libraries.empty() ? "" : ", ";
    libraries += name + ' ' + version.get<std::string>();
  }
  for (const auto& [name, reason] : greeting.at("absent").items()) {
    absent_.push_back(name + ": " + reason.get<std::string>());
  }
  greeting.at("training").get_to(training_);
  greeting.at("inference").get_to(inference_);
  for (const auto* modes : {&training_, &inference_}) {
    for (const std::string& mode : *modes) {
      if (split(mode, '/').size() != 3) {
        return fmt::format("{}: a mode must be library/mode/precision, got '{}'", python, mode);
      }
    }
  }
  description_ = fmt::format("{} of {} on {}, {} threads", libraries, python, device_, threads);
  return "";
}

bool PythonPeer::leave_out(std::string_view mode) {
  std::size_t count = 0;
  for (auto* modes : {&training_, &inference_}) {
    count += std::erase_if(*modes,
                           [&](const std::string& name) { return split(name, '/').at(1) == mode; });
  }
  return count != 0;
}

std::vector<Contender> PythonPeer::contenders(const PeerTask& task) {
  std::vector<Contender> result;
  for (const std::string& mode : task.kind == "training" ? training_ : inference_) {
    const std::vector<std::string> parts = split(mode, '/');
    result.push_back(
        {{mode, device_, parts[1], parts[2], true},
         [this, task, mode](std::int64_t count) { return seconds(task, mode, count); }});
  }
  return result;
}

std::vector<double> PythonPeer::seconds(const PeerTask& task, const std::string& mode,
                                        std::int64_t count) {
  const json request = {{"kind", task.kind},
                        {"mode", mode},
                        {"model", json::parse(task.model)},
                        {"batch", task.batch},
                        {"count", count}};
  process_->write_line(request.dump());
  const json answer = json::parse(process_->read_line(), nullptr, false);
  if (answer.is_object() && answer.contains("seconds")) {
    return answer["seconds"].get<std::vector<double>>();
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("peer: it fails, {}", answer.is_object() && answer.contains("error")
                                                    ? answer["error"].get<std::string>()
                                                    : "its answer is no JSON"));
}

std::unique_ptr<PythonPeer> start_peer(Device device, bool quick, std::vector<std::string>& notes) {
  try {
    auto peer = std::make_unique<PythonPeer>(
        threads(), device.backend() == "cuda" ? device.name() : std::string("cpu"));
    notes.push_back("peer: " + peer->description());
    for (const std::string& library : peer->absent()) notes.push_back("peer absent: " + library);
    if (quick && peer->leave_out("compile")) {
      notes.emplace_back("mode left out: compile: it takes minutes, leave out --quick");
    }
    return peer;
  } catch (const Error& error) {
    notes.push_back(std::string("peer absent: ") + error.what());
    return nullptr;
  }
}

}  // namespace backplane::cli
