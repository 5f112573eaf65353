// TorchPeer: PyTorch in a child process, training the same CNN on command.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "peer_process.hpp"

namespace backplane::cli {

class TorchPeer {
 public:
  // BACKPLANE_PYTHON's PyTorch; without that variable python3's, else /usr/bin/python3's, which is
  // where Debian's package puts it. Error(not_found) says why there is none.
  TorchPeer(std::uint32_t threads, std::int64_t batch);

  // As in "PyTorch 1.13.1 of python3, 2 threads".
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  // Mean seconds of a step; mode is "eager" or "eager-channels-last".
  [[nodiscard]] double seconds_per_step(std::string_view mode, std::int64_t steps);

 private:
  // Empty if it started, else the reason.
  [[nodiscard]] std::string start(const std::string& python, std::uint32_t threads,
                                  std::int64_t batch);

  std::unique_ptr<PeerProcess> process_;
  std::string description_;
};

}  // namespace backplane::cli
