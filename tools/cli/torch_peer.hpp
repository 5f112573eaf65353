// TorchPeer: PyTorch in a child process, training the same CNN on command.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "peer_process.hpp"

namespace backplane::cli {

class TorchPeer {
 public:
  // On PyTorch's `device`, cpu or as in cuda:0. BACKPLANE_PYTHON's PyTorch; without that variable python3's, else /usr/bin/python3's, which is
  // where Debian's package puts it. Error(not_found) says why there is none.
  TorchPeer(std::uint32_t threads, std::int64_t batch, const std::string& device);

  // As in "PyTorch 1.13.1 of python3 on cpu, 2 threads".
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  // What it can do there, as in "eager" and "compile".
  [[nodiscard]] const std::vector<std::string>& modes() const noexcept { return modes_; }
  // Mean seconds of a step. Error(unsupported) if the mode fails there, as without a compiler.
  [[nodiscard]] double seconds_per_step(std::string_view mode, std::int64_t steps);

 private:
  // Empty if it started, else the reason.
  [[nodiscard]] std::string start(const std::string& python, std::uint32_t threads,
                                  std::int64_t batch, const std::string& device);

  std::unique_ptr<PeerProcess> process_;
  std::string description_;
  std::vector<std::string> modes_;
};

}  // namespace backplane::cli
