// PythonPeer: PyTorch and ONNX Runtime in a child process, measured on command.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backplane/device.hpp"
#include "contender.hpp"
#include "peer_process.hpp"

namespace backplane::cli {

// What a peer is asked to do again and again.
struct PeerTask {
  std::string_view kind;  // "training": a step; "inference": a call
  std::string model;      // arguments of Model in tools/bench/networks.py, as JSON
  std::int64_t batch;
};

class PythonPeer {
 public:
  // On PyTorch's `device`, cpu or as in cuda:0. BACKPLANE_PYTHON's PyTorch; without that variable
  // python3's, else /usr/bin/python3's, which is where Debian's package puts it. Error(not_found)
  // says why there is none.
  PythonPeer(std::uint32_t threads, std::string device);

  // As in "PyTorch 1.13.1, ONNX Runtime 1.20.0 of python3 on cpu, 2 threads".
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  // Libraries that aren't there, as in "onnxruntime: No module named 'onnxruntime'".
  [[nodiscard]] const std::vector<std::string>& absent() const noexcept { return absent_; }

  // Leaves out a mode, as in "compile". False if there is none of that name.
  bool leave_out(std::string_view mode);
  // One for each mode that it has for such a task, named as in "torch/eager/f32".
  [[nodiscard]] std::vector<Contender> contenders(const PeerTask& task);

 private:
  // Empty if it started, else the reason.
  [[nodiscard]] std::string start(const std::string& python, std::uint32_t threads);
  [[nodiscard]] std::string read_greeting(const std::string& python, std::uint32_t threads);
  // Error(unsupported) if the mode fails there, as without a compiler.
  [[nodiscard]] std::vector<double> seconds(const PeerTask& task, const std::string& mode,
                                            std::int64_t count);

  std::string device_;
  std::optional<PeerProcess> process_;
  std::string description_;
  std::vector<std::string> absent_, training_, inference_;
};

// The peer for a device of ours, with what there is and isn't in `notes`; null if it doesn't start.
// A quick one doesn't compile, which takes minutes.
[[nodiscard]] std::unique_ptr<PythonPeer> start_peer(Device device, bool quick,
                                                     std::vector<std::string>& notes);

}  // namespace backplane::cli
