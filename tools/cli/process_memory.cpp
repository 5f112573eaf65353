// The peak resident set of the process, from Linux's /proc (proc(5): VmHWM and clear_refs).
#include "process_memory.hpp"

#include <fstream>
#include <string>

namespace backplane::cli {

void reset_process_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::uint64_t process_peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key;) {
    std::uint64_t kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

}  // namespace backplane::cli
