// TorchPeer: speaks the line protocol of tools/bench/mnist_torch.py, which is built into the
// program.
#include "torch_peer.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <iterator>
#include <sstream>

#include "backplane/error.hpp"
#include "mnist_torch.hpp"

namespace backplane::cli {
namespace {

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

}  // namespace

TorchPeer::TorchPeer(std::uint32_t threads, std::int64_t batch, const std::string& device) {
  std::string reasons;
  for (const std::string& python : candidates()) {
    const std::string reason = start(python, threads, batch, device);
    if (reason.empty()) return;
    reasons += (reasons.empty() ? "" : ", ") + reason;
  }
  throw Error(ErrorCode::not_found,
              fmt::format("torch: a Python with PyTorch must be there, {}; install python3-torch "
                          "or set BACKPLANE_PYTHON",
                          reasons));
}

std::string TorchPeer::start(const std::string& python, std::uint32_t threads, std::int64_t batch,
                             const std::string& device) {
  try {
    process_ = std::make_unique<PeerProcess>(
        std::vector<std::string>{python, "-c", mnist_torch, std::to_string(threads),
                                 std::to_string(batch), device},
        peer_environment(threads));
    const std::string answer = process_->read_line();
    std::istringstream words(answer);
    std::string ready, version;
    words >> ready >> version;
    if (ready != "ready") return fmt::format("{}: {}", python, answer);
    modes_.assign(std::istream_iterator<std::string>(words), {});
    description_ =
        fmt::format("PyTorch {} of {} on {}, {} threads", version, python, device, threads);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

double TorchPeer::seconds_per_step(std::string_view mode, std::int64_t steps) {
  process_->write_line(fmt::format("run {} {}", mode, steps));
  const std::string answer = process_->read_line();
  char* end = nullptr;
  const double seconds = std::strtod(answer.c_str(), &end);
  if (end == answer.c_str() || !(seconds > 0)) {
    throw Error(ErrorCode::unsupported, fmt::format("torch: {} fails, {}", mode, answer));
  }
  return seconds;
}

}  // namespace backplane::cli
