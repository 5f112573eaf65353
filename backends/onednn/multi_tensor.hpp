// Optimizer steps over many tensors at once: all of them are cut into pieces, which one team
// shares.
#pragma once

#include <span>
#include <vector>

#include "backplane/plugin/host_backend.hpp"
#include "check.hpp"
#include "parallel.hpp"

namespace backplane::onednn {

class MultiTensor {
 public:
  // `inputs` and `outputs` count the tensors for each parameter. A parameter lies densely in any
  // order, its gradient is asked for in the same order, its state lies as it does.
  MultiTensor(const Check& check, plugin::Request& request, std::uint64_t count,
              std::uint64_t inputs, std::uint64_t outputs);
  // The same of some of a request's tensors, whose number has been checked.
  MultiTensor(const Check& check, std::span<bp_tensor_desc> inputs,
              std::span<bp_tensor_desc> outputs, std::uint64_t count, std::uint32_t threads);

  // Calls step(tensor, first element, elements) for every piece.
  template <class Step>
  void run(const Step& step) const {
    run_pieces([&](std::size_t, std::size_t tensor, std::int64_t begin, std::int64_t elements) {
      step(tensor, begin, elements);
    });
  }
  // With the piece's number in front, below pieces().
  template <class Step>
  void run_pieces(const Step& step) const {
    in_parallel(parts_, [&](unsigned part) {
      const Share mine = share_of(static_cast<std::int64_t>(pieces_.size()), part, parts_);
      for (auto i = static_cast<std::size_t>(mine.begin); i < static_cast<std::size_t>(mine.end);
           ++i) {
        step(i, pieces_[i].tensor, pieces_[i].begin, pieces_[i].count);
      }
    });
  }
  [[nodiscard]] std::size_t pieces() const { return pieces_.size(); }

 private:
  struct Piece {
    std::size_t tensor;
    std::int64_t begin, count;
  };
  std::vector<Piece> pieces_;
  unsigned parts_ = 1;
};

}  // namespace backplane::onednn
