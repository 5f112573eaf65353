// What a training of the MNIST CNN draws at random, written down so that another framework can
// train on the same: initial parameters, the order of images, dropout masks.
//
//   backplane-draws FOLDER SEED EPOCHS BATCH IMAGES
//
// Writes to the folder, in the machine's order of bytes: parameter0.f32 and so on, as the layers
// have them; order.i64[epochs, images]; masks.f32[epochs, images, channels]; loss.f32, that of the
// first step, by which a reader can tell that it has understood.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "models/mnist/cnn.hpp"
#include "models/trainer.hpp"

namespace {

using namespace backplane;  // NOLINT: a program of its own

struct Settings {
  std::filesystem::path folder;
  std::uint64_t seed;
  std::int64_t epochs, batch, images;
};

template <class T>
void append(std::ofstream& file, const Tensor& tensor) {
  const std::vector<T> values = tensor.to_vector<T>();
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

std::ofstream open(const Settings& settings, const std::string& name) {
  std::ofstream file(settings.folder / name, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  return file;
}

void write_start(const Settings& settings, Device device) {
  models::Trainer trainer({.model = "mnist_cnn",
                           .device = device,
                           .batch = settings.batch,
                           .images = settings.images,
                           .seed = settings.seed});
  std::size_t number = 0;
  for (const Tensor& parameter : trainer.layer().parameters()) {
    std::ofstream file = open(settings, fmt::format("parameter{}.f32", number++));
    append<float>(file, parameter);
  }
  std::ofstream file = open(settings, "loss.f32");
  append<float>(file, trainer.step());
}

// Samples that are their own numbers, in the trainer's order, with the trainer's steps.
void write_course(const Settings& settings, Device device) {
  const models::MnistCnnOptions network;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(settings.images));
  std::iota(numbers.begin(), numbers.end(), 0);
  const Tensor samples = tensor(numbers, {settings.images}, {.device = Device::host()});
  DataLoader loader(TensorDataset(samples, samples),
                    {.batch_size = settings.batch, .shuffle = true, .seed = settings.seed});
  std::ofstream order = open(settings, "order.i64"), masks = open(settings, "masks.f32");
  const DeviceGuard on_device(device);
  std::uint32_t step = 0;
  for (std::int64_t epoch = 0; epoch < settings.epochs; ++epoch) {
    for (const Batch& batch : loader) {
      append<std::int64_t>(order, batch.targets);
      manual_seed(settings.seed);
      begin_step(++step, batch.first_sample);
      append<float>(masks, dropout2d(ones({batch.count, network.channels, 1, 1}), network.dropout));
    }
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 6) {
    fmt::print(stderr, "usage: backplane-draws FOLDER SEED EPOCHS BATCH IMAGES\n");
    return 2;
  }
  const Settings settings{arguments[1], std::stoull(arguments[2]), std::stoll(arguments[3]),
                          std::stoll(arguments[4]), std::stoll(arguments[5])};
  std::filesystem::create_directories(settings.folder);
  const Device cpu = device("cpu");
  write_start(settings, cpu);
  write_course(settings, cpu);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "backplane-draws: {}\n", error.what());
  return 1;
}
