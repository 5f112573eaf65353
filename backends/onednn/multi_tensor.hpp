// Optimizer steps over many tensors at once: all of them are cut into pieces, which one team
// shares.
#pragma once

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

  // Calls step(tensor, first element, elements) for every piece.
  template <class Step>
  void run(const Step& step) const {
    in_parallel(parts_, [&](unsigned part) {
      const Share mine = share_of(static_cast<std::int64_t>(pieces_.size()), part, parts_);
      for (std::int64_t i = mine.begin; i < mine.end; ++i) {
        const Piece& piece = pieces_[static_cast<std::size_t>(i)];
        step(piece.tensor, piece.begin, piece.count);
      }
    });
  }

 private:
  struct Piece {
    std::size_t tensor;
    std::int64_t begin, count;
  };
  std::vector<Piece> pieces_;
  unsigned parts_ = 1;
};

}  // namespace backplane::onednn
