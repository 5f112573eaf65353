// Training steps of ours and of PyTorch in turn: what the benchmarks of training have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench.hpp"
#include "contender.hpp"
#include "models/model.hpp"
#include "python_peer.hpp"

namespace backplane::cli {

// A network at a batch size.
struct TrainingCase {
  std::string name;  // the first part of its rows' names, as in "mnist" or "mnist-kernel5"
  models::Model model;
  std::string peer_model;  // of PeerTask
  std::int64_t batch;
};

struct TrainingBench {
  BenchSettings settings;
  ModeSettings modes;
  Rounds rounds;
  std::uint64_t seed = 1;
  bool no_peers = false;

  void add_to(CLI::App& command);
};

// A row for each mode and case, and the ratio of each of ours to each of the peers' in its case.
[[nodiscard]] BenchReport bench_training(const std::string& benchmark, const TrainingBench& bench,
                                         const std::vector<TrainingCase>& cases);

}  // namespace backplane::cli
