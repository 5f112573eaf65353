// The device's description, and the table of this back end.
#include "backend.hpp"

#include <unistd.h>

#include <dnnl.hpp>
#include <fstream>
#include <string>

#include "backplane/plugin/tiled_run.hpp"
#include "check.hpp"
#include "layout.hpp"
#include "parallel.hpp"

namespace backplane::onednn {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.starts_with("model name")) return line.substr(colon + 2);
  }
  return "CPU";
}

const char* isa_name() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41:
      return "SSE4.1";
    case dnnl::cpu_isa::avx2:
      return "AVX2";
    case dnnl::cpu_isa::avx2_vnni:
      return "AVX2 with VNNI";
    case dnnl::cpu_isa::avx512_core:
      return "AVX-512";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "AVX-512 with VNNI";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "AVX-512 with bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "AVX-512 with AMX";
    default:
      return "this processor's own instruction set";
  }
}

std::string library_version() {
  const dnnl::version_t* version = dnnl::version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace

void OnednnDevice::info(bp_device_info& info) {
  HostDevice::info(info);
  info.compute_units = static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  plugin::copy_text(info.name, sizeof info.name, processor_name());
  plugin::copy_text(info.driver, sizeof info.driver, library_version() + ", " + isa_name());
}

void OnednnDevice::layout_info(const bp_tensor_desc& desc, bp_layout_info& info) {
  const std::int64_t block = block_of(desc);
  if (!can_block(desc, block)) {
    throw plugin::invalid("layout_info: layout " + std::to_string(desc.layout) + " isn't one of " +
                          describe(desc));
  }
  info.elementwise_ok = 1;
  info.bytes = byte_count(desc);
  plugin::copy_text(info.name, sizeof info.name, block == 16 ? "nChw16c" : "nChw8c");
}

void OnednnDevice::set_option(const std::string& key, const std::string& value) {
  if (key != "bf16") return Device::set_option(key, value);
  if (value != "native" && value != "widened") {
    throw plugin::invalid("onednn: option bf16 takes native or widened, not '" + value + "'");
  }
  native_bf16_ = value == "native";
}

namespace {

class OnednnQueue final : public plugin::InlineQueue {
 public:
  void run_tiled(const bp_tiled_run& run) override {
    plugin::run_tiles(run, faults,
                      [](unsigned parts, const auto& body) { in_parallel(parts, body); });
  }
};

}  // namespace

std::unique_ptr<plugin::Queue> OnednnDevice::create_queue() {
  return std::make_unique<OnednnQueue>();
}

struct OnednnBackend {
  static constexpr const char* name = "onednn";
  static constexpr const char* version = BACKPLANE_ONEDNN_VERSION;
  static constexpr plugin::Offers offers{.preparation = true, .tiled_runs = true};
  static std::uint32_t device_count() { return 1; }
  static plugin::Diagnosis diagnose() { return {}; }
  static std::unique_ptr<plugin::Device> open(std::uint32_t index) {
    if (index != 0) {
      throw plugin::Failure(BP_NOT_FOUND, "onednn: there is one device, asked for index " +
                                              std::to_string(index) + "; open onednn:0");
    }
    return std::make_unique<OnednnDevice>();
  }
};

}  // namespace backplane::onednn

BACKPLANE_BACKEND(backplane::onednn::OnednnBackend)
