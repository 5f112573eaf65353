// Ten steps of each model on the default device, compiled: each operation is repeated on the
// reference with the same inputs and must meet its own bound, and the losses are those that are
// stored. The first three record, and are what the model does without compile(). Then a few steps
// at level strict, both ways: the same bits.
//
// BACKPLANE_DEVICE says which device that is.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include "backplane/backplane.hpp"
#include "backplane/observe/agreement.hpp"
#include "losses.hpp"
#include "models/resnet/resnet18.hpp"
#include "models/trainer.hpp"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

namespace {

// Relative; `backplane compare` allows the same.
constexpr double loss_bound = 1e-4;
constexpr double bf16_loss_bound = 1e-2;

// Whether the default device does, instead of saying that it doesn't.
bool multiplies(DType type) {
  const AutocastGuard guard(type);
  try {
    (void)matmul(ones({2, 2}), ones({2, 2}));
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return false;
  }
}

std::vector<double> losses_in_lock_step(const models::Model& model, std::int64_t batch,
                                        std::optional<DType> autocast = {}) {
  models::Trainer trainer(model, {.batch = batch,
                                  .images = 10 * batch,
                                  .autocast = autocast,
                                  .evaluate = false,
                                  .compile = true});
  AgreementAudit audit;
  const ObserverGuard guard(audit);
  std::vector<double> losses;
  for (std::size_t step = 0; step < lockstep::Losses{}.size(); ++step) {
    losses.push_back(trainer.step().item<double>());
  }
  const AgreementAudit::Report& report = audit.report();
  INFO(report.first_failure);
  CHECK(report.agrees());
  return losses;
}

std::vector<float> few_losses(const models::Model& model, std::int64_t batch, bool compile,
                              std::optional<DType> autocast) {
  constexpr std::int64_t steps = 5;
  models::Trainer trainer(model, {.batch = batch,
                                  .images = steps * batch,
                                  .autocast = autocast,
                                  .evaluate = false,
                                  .compile = compile});
  std::vector<Tensor> losses;
  for (std::int64_t step = 0; step < steps; ++step) losses.push_back(trainer.step());
  if (compile) CHECK(trainer.compiled()->replayed_calls() >= 2);
  std::vector<float> values;
  for (const Tensor& loss : losses) values.push_back(loss.item());
  return values;
}

void check_compiled(const models::Model& model, std::int64_t batch,
                    std::optional<DType> autocast = {}) {
  const NumericsGuard strict(Numerics::strict);
  const std::vector<float> eager = few_losses(model, batch, false, autocast);
  const std::vector<float> compiled = few_losses(model, batch, true, autocast);
  CAPTURE(fmt::format("eager {}, compiled {}", fmt::join(eager, ", "), fmt::join(compiled, ", ")));
  CHECK(compiled == eager);
}

void check(const models::Model& model, std::int64_t batch, const lockstep::Losses& stored) {
  const std::vector<double> losses = losses_in_lock_step(model, batch);
  INFO(fmt::format("found {{{:.9}}}", fmt::join(losses, ", ")));
  for (std::size_t i = 0; i < stored.size(); ++i) {
    CAPTURE(i);
    CHECK(losses[i] == doctest::Approx(stored[i]).epsilon(loss_bound));
  }
  check_compiled(model, batch);
}

}  // namespace

TEST_CASE("mnist_cnn") {
  check(models::find_model("mnist_cnn"), 2, lockstep::mnist_cnn_losses);
}

// Factors of bf16, rounded by up to 2^-9, are lock step like any others. Losses are compared with
// those of f32: a sum of n products whose signs are as good as random is off by
// 2^-9 * sqrt(2 / 3) = 0.16 % of its root mean square, three layers on top of each other by 0.3 %,
// and each step that was taken so moves the next one's weights by as much.
TEST_CASE("mnist_cnn with products of bf16") {
  const models::Model& model = models::find_model("mnist_cnn");
  if (!multiplies(DType::bf16)) {
    CHECK_THROWS_AS(losses_in_lock_step(model, 2, DType::bf16), Error);  // and not in f32 instead
    return;
  }
  const std::vector<double> losses = losses_in_lock_step(model, 2, DType::bf16);
  INFO(fmt::format("found {{{:.9}}}", fmt::join(losses, ", ")));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    CAPTURE(i);
    CHECK(losses[i] != lockstep::mnist_cnn_losses[i]);
    CHECK(losses[i] == doctest::Approx(lockstep::mnist_cnn_losses[i]).epsilon(bf16_loss_bound));
  }
  check_compiled(model, 2, DType::bf16);
}

TEST_CASE("lenet5") {
  check(models::find_model("lenet5"), 4, lockstep::lenet5_losses);
}

TEST_CASE("mlp") {
  check(models::find_model("mlp"), 8, lockstep::mlp_losses);
}

// A sixteenth of the channels: the reference computes it, on simulated cards too. At the model's
// own rate, on batches of 8, the network is chaotic: runs that differ in the last digit part within
// ten steps.
TEST_CASE("resnet18") {
  models::Model model = models::find_model("resnet18");
  model.make = []() -> std::unique_ptr<Layer> {
    return std::make_unique<models::ResNet18>(models::ResNet18::Options{.width = 4});
  };
  model.learning_rate = 1e-4f;
  check(model, 8, lockstep::resnet18_losses);
}

TEST_CASE("transformer") {
  check(models::find_model("transformer"), 4, lockstep::transformer_losses);
}

TEST_CASE("linear") {
  check(models::find_model("linear"), 32, lockstep::linear_losses);
}
