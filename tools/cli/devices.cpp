// backplane devices: what this machine can compute on, and why other back ends have nothing.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "absent.hpp"
#include "command.hpp"
#include "output_file.hpp"
#include "table.hpp"

namespace backplane::cli {
namespace {

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::host:
      return "host";
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::other:
      break;
  }
  return "other";
}

struct Reading {
  const char *name, *unit;
  double DeviceMonitor::*value;
};
constexpr std::array readings{
    Reading{"utilization", "%", &DeviceMonitor::utilization},
    Reading{"temperature", "C", &DeviceMonitor::temperature},
    Reading{"power", "W", &DeviceMonitor::power},
    Reading{"clock", "MHz", &DeviceMonitor::clock},
    Reading{"memory_clock", "MHz", &DeviceMonitor::memory_clock},
};

// What a device measures of itself, or why it can't: a list of devices must not end with that.
struct State {
  explicit State(const Device& device) {
    try {
      monitor = device.monitor();
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  std::optional<DeviceMonitor> monitor;
  std::string problem;
};

// As in "cuda:0 now: utilization 37 %, temperature 54 C"; empty for a device that isn't measured.
std::string state_of(const Device& device) {
  const State state(device);
  if (!state.problem.empty())
    return fmt::format("{} can't be measured: {}\n", device.name(), state.problem);
  if (!state.monitor) return "";
  std::string text;
  for (const Reading& reading : readings) {
    const double value = (*state.monitor).*reading.value;
    if (std::isnan(value)) continue;
    text +=
        fmt::format("{} {} {:.0f} {}", text.empty() ? "" : ",", reading.name, value, reading.unit);
  }
  return text.empty() ? "" : fmt::format("{} now:{}\n", device.name(), text);
}

std::string text_of(const std::vector<Device>& present) {
  using enum Table::Align;
  Table table({{"device", left},
               {"kind", left},
               {"name", left},
               {"driver", left},
               {"memory"},
               {"compute units"}});
  std::string states;
  for (const Device& device : present) {
    table.add({device.name(), std::string(to_string(device.kind())), device.description(),
               device.driver(), format_bytes(device.memory_bytes()),
               std::to_string(device.compute_units())});
    states += state_of(device);
  }
  return fmt::format("{}\n{}CPU back ends use up to {} threads\n", table.text(), states, threads());
}

// Null for a device that isn't measured, and for what it doesn't say.
nlohmann::ordered_json monitor_of(const Device& device) {
  const State state(device);
  if (!state.monitor) return nullptr;
  nlohmann::ordered_json values;
  for (const Reading& reading : readings) values[reading.name] = (*state.monitor).*reading.value;
  return values;
}

nlohmann::ordered_json json_of(const std::vector<Device>& present) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Device& device : present) {
    list.push_back({{"device", device.name()},
                    {"backend", device.backend()},
                    {"kind", to_string(device.kind())},
                    {"name", device.description()},
                    {"driver", device.driver()},
                    {"unique_id", device.unique_id()},
                    {"memory_bytes", device.memory_bytes()},
                    {"compute_units", device.compute_units()},
                    {"monitor", monitor_of(device)}});
  }
  return list;
}

int print_devices(const std::string& json_path) {
  const std::vector<Device> present = devices();
  const std::vector<Absent> absent = absent_entries();
  std::FILE* out = stdout;
  if (!json_path.empty()) {
    const OutputFile file(json_path);
    if (file.is_standard_output()) out = stderr;
    const nlohmann::ordered_json all = {
        {"threads", threads()}, {"devices", json_of(present)}, {"absent", to_json(absent)}};
    file.write(all.dump(2) + '\n');
  }
  fmt::print(out, "{}{}", text_of(present), to_text(absent));
  return exit_ok;
}

}  // namespace

void add_devices(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("devices", "List devices, and why others are absent");
  auto json_path = std::make_shared<std::string>();
  command->add_option("--json", *json_path, "Also write JSON to this file; - is standard output");
  command->callback(
      [&action, json_path] { action = [json_path] { return print_devices(*json_path); }; });
}

}  // namespace backplane::cli
