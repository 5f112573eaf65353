// The trainer: the same run everywhere, its options, what it reports.
#include "models/trainer.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "files.hpp"

using namespace backplane;
using namespace backplane::models;
using namespace backplane::test;

namespace {

// 40 images to train and 10 to test, each with a bar whose place is its label.
class SmallSet {
 public:
  SmallSet() {
    write("train", 40);
    write("t10k", 10);
  }
  [[nodiscard]] std::string path() const { return directory_.path().string(); }

 private:
  void write(const std::string& part, std::uint32_t count) const {
    Bytes pixels(std::size_t{count} * 28 * 28), labels(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      labels[i] = static_cast<std::uint8_t>(i % 10);
      for (std::size_t row = 0; row < 28; ++row) {
        for (const std::size_t column : {0, 1}) {
          pixels[(i * 28 + row) * 28 + 4 + 2 * labels[i] + column] = 255;
        }
      }
    }
    directory_.write(part + "-images-idx3-ubyte", idx_file({count, 28, 28}, pixels));
    directory_.write(part + "-labels-idx1-ubyte", idx_file({count}, labels));
  }

  TemporaryDirectory directory_;
};

TrainOptions small(const SmallSet& set) {
  return {.batch = 16, .epochs = 2, .data_dir = set.path()};
}

}  // namespace

TEST_CASE("trainer: linear learns its data") {
  const TrainResult result = train({.model = "linear", .batch = 32, .epochs = 5});
  CHECK(result.images == 4096);
  CHECK(result.epochs == 5);
  CHECK(result.steps == 5 * 128);
  CHECK(result.losses.size() == 5 * 128);
  CHECK(result.final_loss == result.losses.back());
  CHECK(result.final_loss < 0.1 * result.losses.front());
  CHECK_FALSE(result.test_accuracy.has_value());
  CHECK(result.epoch_seconds.size() == 5);
  CHECK(result.seconds_per_epoch > 0);
  CHECK(result.images_per_second == doctest::Approx(4096 / result.seconds_per_epoch));
  CHECK(result.peak_memory_bytes > 0);
  CHECK(result.bytes_to_device >= 5 * 4096 * 12 * 4);  // ten inputs and two targets of f32
  CHECK(result.bytes_from_device >= 5 * 128 * 4);      // one loss for each step
}

TEST_CASE("trainer: mnist_cnn learns what a bar's place means") {
  const SmallSet set;
  TrainOptions options = small(set);
  options.epochs = 10;
  const TrainResult result = train(options);
  CHECK(result.steps == 30);
  CHECK(result.test_accuracy.value() == 1);
  CHECK(result.final_loss < 0.5 * result.losses.front());
}

TEST_CASE("trainer: with products of bf16 it learns as well, in other bits") {
  const SmallSet set;
  TrainOptions options = small(set);
  options.epochs = 10;
  const TrainResult plain = train(options);
  options.autocast = DType::bf16;
  const TrainResult result = train(options);
  CHECK(result.test_accuracy.value() == 1);
  CHECK(result.final_loss < 0.5 * result.losses.front());
  CHECK(result.losses != plain.losses);
  CHECK(result.losses.front() == doctest::Approx(plain.losses.front()).epsilon(1e-2));
  CHECK(train(options).losses == result.losses);
  Trainer trainer(options);
  (void)trainer.step();
  CHECK_FALSE(autocast().has_value());  // a step's scope is its own
  for (const Tensor& parameter : trainer.layer().parameters()) {
    CHECK(parameter.dtype() == DType::f32);
    CHECK(parameter.grad().dtype() == DType::f32);
  }
}

TEST_CASE("trainer: the same options give the same bits, another seed others") {
  const SmallSet set;
  const TrainResult a = train(small(set)), b = train(small(set));
  CHECK(a.losses == b.losses);
  TrainOptions other = small(set);
  other.seed = 2;
  CHECK(train(other).losses != a.losses);
}

// On MNIST itself: in made-up images with plain areas most pool windows are exact ties, and a
// winner that flips by rounding leads two devices apart.
TEST_CASE("trainer: all devices start alike and see the same batches and masks") {
  std::vector<double> first;
  for (const Device device : devices()) {
    const TrainResult result =
        train({.device = device, .batch = 16, .images = 48, .evaluate = false});
    if (first.empty()) first = result.losses;
    REQUIRE(result.losses.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(result.losses[i] == doctest::Approx(first[i]).epsilon(1e-4));
    }
  }
}

TEST_CASE("trainer: two trainers may take their steps in turn") {
  const SmallSet set;
  const TrainResult alone = train(small(set));
  Trainer a(small(set)), b(small(set));
  CHECK(a.steps_per_epoch() == 3);
  for (std::size_t i = 0; i < alone.losses.size(); ++i) {
    (void)uniform({3}, 0, 1);  // what a program draws in between changes nothing
    CHECK(a.step().item<double>() == alone.losses[i]);
    CHECK(b.step().item<double>() == alone.losses[i]);
  }
  CHECK(a.steps_taken() == 6);
  CHECK(a.evaluate() == alone.test_accuracy);
  CHECK(a.layer().training());
}

TEST_CASE("trainer: a step reads nothing back") {
  const SmallSet set;
  Trainer trainer(small(set));
  (void)trainer.step();
  const auto before = transfer_stats(trainer.options().device);
  const Tensor loss = trainer.step();
  CHECK(transfer_stats(trainer.options().device).downloads == before.downloads);
  CHECK_FALSE(loss.requires_grad());
}

TEST_CASE("trainer: images and max_steps cut a run") {
  const SmallSet set;
  TrainOptions options = small(set);
  options.images = 20;
  TrainResult result = train(options);
  CHECK(result.images == 20);
  CHECK(result.steps == 4);

  options.max_steps = 3;  // a whole epoch and half of the next
  result = train(options);
  CHECK(result.steps == 3);
  CHECK(result.epochs == 2);
  CHECK(result.images == 20);
  CHECK(result.epoch_seconds.size() == 1);

  options.max_steps = 1;  // not even one
  result = train(options);
  CHECK(result.steps == 1);
  CHECK(result.epochs == 1);
  CHECK(result.images == 16);
  CHECK(result.epoch_seconds.size() == 1);

  options.evaluate = false;
  CHECK_FALSE(train(options).test_accuracy.has_value());
}

TEST_CASE("trainer: the learning rate is the model's unless told otherwise") {
  const SmallSet set;
  CHECK(Trainer(small(set)).optimizer().learning_rate() == 1e-3f);
  TrainOptions options = small(set);
  options.learning_rate = 0.0f;
  Trainer still(options);
  CHECK(still.optimizer().learning_rate() == 0);
  const auto before = still.layer().parameters()[0].to_vector<float>();
  (void)still.step();
  CHECK(still.layer().parameters()[0].to_vector<float>() == before);
}

TEST_CASE("trainer: progress is told after each batch of both phases") {
  const SmallSet set;
  TrainOptions options = small(set);
  std::vector<Progress> told;
  options.progress = [&](const Progress& progress) { told.push_back(progress); };
  (void)train(options);
  REQUIRE(told.size() == 3 + 3 + 1);
  CHECK(told[0].phase == Phase::train);
  CHECK(told[0].epoch == 1);
  CHECK(told[0].epochs == 2);
  CHECK(told[0].step == 1);
  CHECK(told[0].steps == 3);
  CHECK(told[0].images_per_second > 0);
  CHECK(told[0].seconds_left > 0);
  CHECK(told[2].seconds_left == 0);
  CHECK(told[5].epoch == 2);
  CHECK(told[5].step == 3);
  CHECK(told[6].phase == Phase::evaluate);
  CHECK(told[6].steps == 1);
}

TEST_CASE("trainer: refusals") {
  const SmallSet set;
  const auto refuses = [&](auto change, const char* text) {
    TrainOptions options = small(set);
    change(options);
    CHECK_THROWS_WITH_AS(Trainer{options}, text, Error);
  };
  refuses([](TrainOptions& o) { o.batch = 0; }, "train: batch must be positive, got 0");
  refuses([](TrainOptions& o) { o.epochs = 0; }, "train: epochs must be positive, got 0");
  refuses([](TrainOptions& o) { o.images = -1; },
          "train: images must be positive, or 0 for all, got -1");
  refuses([](TrainOptions& o) { o.max_steps = -1; },
          "train: max_steps must be positive, or 0 for no limit, got -1");
  refuses([](TrainOptions& o) { o.images = 41; },
          "train: images must be at most the 40 of the training set, got 41");
  refuses([](TrainOptions& o) { o.batch = 41; },
          "train: batch must not be larger than the 40 images to train on, got 41");
  refuses(
      [](TrainOptions& o) {
        o.images = 10;
        o.batch = 16;
      },
      "train: batch must not be larger than the 10 images to train on, got 16");
  refuses([](TrainOptions& o) { o.model = "lenet"; },
          "models: no model 'lenet'; there are: mnist_cnn, lenet5, mlp, resnet18, transformer, linear");
  refuses([](TrainOptions& o) { o.learning_rate = -1.0f; },
          "Adam: learning_rate must be finite and not negative, got -1");
  refuses([](TrainOptions& o) { o.autocast = DType::f32; },
          "autocast: expects bf16, f16 or none, got f32");
  refuses([](TrainOptions& o) { o.data_dir = "/nowhere"; },
          "mnist: no train-images-idx3-ubyte[.gz] in '/nowhere'; it must hold the four IDX files"
          " under MNIST's names");
  refuses(
      [](TrainOptions& o) {
        o.model = "linear";
        o.data_dir = "x";
      },
      "linear: its data are synthetic, got data directory 'x'; leave it out");
}
