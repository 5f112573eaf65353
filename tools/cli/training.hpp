// What commands that train have in common: options of the training, and its progress on a terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/trainer.hpp"

namespace CLI {
class App;
}

namespace backplane::cli {

// What to train, before it is known on which device.
struct TrainingSettings {
  std::string model = "mnist_cnn";
  std::int64_t epochs = 1, batch = 512;
  std::int64_t images = 0;  // 0: all
  std::uint64_t seed = 1;
  std::string data_dir;
  bool skip_test = false, compile = false;

  void add_to(CLI::App& command);
  // The training on a device, with its progress shown.
  [[nodiscard]] models::TrainOptions on(Device device) const;
};

// For TrainOptions::progress: a bar for each epoch and each evaluation, labelled with the device.
[[nodiscard]] std::function<void(const models::Progress&)> show_progress(std::string label);

}  // namespace backplane::cli
