// Repeats a program as one sequence of the device, such as a CUDA graph.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "compile/graph.hpp"
#include "stream/sequence_state.hpp"

namespace backplane::detail {

// Where the storages of a graph lie in one repetition.
struct Bound {
  std::vector<std::shared_ptr<Storage>> memory;
  std::vector<std::uint64_t> offsets;  // in bytes
};

// A sequence has its addresses for good, so that arguments are copied into memory of its own, and
// results out of it.
class Sequencer {
 public:
  // Notes what `enqueue_all` enqueues on the stream, given where storages lie. `bound` is where
  // they lie in this call; `written` says which storages the program writes.
  using EnqueueAll = std::function<void(const Bound&)>;
  Sequencer(const Graph& graph, const Bound& bound, const std::vector<bool>& written,
            const std::shared_ptr<StreamState>& stream, const EnqueueAll& enqueue_all);

  // Enqueues it with the scalars of these operations, which are those that were noted.
  void run(const Bound& bound, std::span<const Operation> operations) const;

 private:
  struct Moved {
    std::uint32_t storage;
    std::uint64_t bytes;
    std::shared_ptr<Storage> own;
    bool in, out;
  };
  void copy(const Storage& source, std::uint64_t from, const Storage& target, std::uint64_t to,
            std::uint64_t bytes) const;

  std::shared_ptr<StreamState> stream_;
  std::vector<Moved> moved_;
  std::shared_ptr<SequenceState> sequence_;
};

}  // namespace backplane::detail
