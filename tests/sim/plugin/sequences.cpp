// Recorded sequences through the raw table of the plug-in: noted once, replayed with new scalars.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <memory>

#include "backplane/plugin/abi.h"
#include "backplane/plugin/ops.hpp"
#include "plugin_table.h"

using namespace backplane;  // NOLINT: the tests are a consumer of the API
using backplane::sim::PlanOf;
using backplane::sim::PluginQueue;

namespace {

using Floats = std::vector<float>;

// y = scale * x + shift; then z = y + y; w = y.
struct Program {
  explicit Program(PluginQueue& on)
      : queue(on), x(on, {1, 2, 3}), y(on, {0, 0, 0}), z(on, {0, 0, 0}), w(on, {0, 0, 0}) {}

  // The first run, which loads kernels, may not be captured.
  void enqueue(double scale, double shift) {
    const op::Affine::Scalars scalars{scale, shift};
    affine.run(queue, {&x}, {&y}, &scalars, sizeof scalars);
    add.run(queue, {&y, &y}, {&z});
    REQUIRE(queue.table().copy(queue.get(), y.argument(), w.argument(), 3 * sizeof(float)) ==
            BP_OK);
  }

  PluginQueue& queue;
  sim::PluginTensor x, y, z, w;
  PlanOf<op::Affine> affine{queue, {&x}, {&y}};
  PlanOf<op::Add> add{queue, {&y, &y}, {&z}};
};

}  // namespace

TEST_CASE("sequences: a replay computes what a run does, with its own scalars") {
  PluginQueue queue;
  Program program(queue);
  program.enqueue(1, 0);
  CHECK(program.z.values() == Floats{2, 4, 6});

  const sim::PluginSequence sequence(queue, [&] { program.enqueue(10, 1); });
  CHECK(program.z.values() == Floats{2, 4, 6});  // noting runs nothing

  const std::array<op::Affine::Scalars, 3> scalars{{{2, 0}, {3, 1}, {0, 7}}};
  for (const auto& one : scalars) sequence.run({{&one, sizeof one}});  // all three are queued
  CHECK(program.z.values() == Floats{14, 14, 14});
  sequence.run({{&scalars[1], sizeof scalars[1]}});
  CHECK(program.z.values() == Floats{8, 14, 20});
  CHECK(program.w.values() == Floats{4, 7, 10});
  program.x.write({0, 1, 0});  // the memory is what was noted, not what lay there
  sequence.run({{&scalars[0], sizeof scalars[0]}});
  CHECK(program.w.values() == Floats{0, 2, 0});
}

TEST_CASE("sequences: an optimizer's step over many tensors takes a new rate") {
  PluginQueue queue;
  sim::PluginTensor a(queue, {1, 2}), b(queue, {3, 4}), da(queue, {1, 1}), db(queue, {1, 2});
  const PlanOf<op::SgdStep> step(queue, {&a, &b, &da, &db}, {&a, &b}, {.count = 2, .momentum = 0, .nesterov = 0});
  const auto run = [&](float rate) {
    const op::SgdStep::Scalars scalars{rate, 0, 0, 0, 1};
    step.run(queue, {&a, &b, &da, &db}, {&a, &b}, &scalars, sizeof scalars);
  };
  run(0);
  const sim::PluginSequence sequence(queue, [&] { run(100); });
  const op::SgdStep::Scalars half{0.5f, 0, 0, 0, 1}, one{1, 0, 0, 0, 1};
  sequence.run({{&half, sizeof half}});
  sequence.run({{&one, sizeof one}});
  CHECK(a.values() == Floats{-0.5f, 0.5f});
  CHECK(b.values() == Floats{1.5f, 1});
}

TEST_CASE("sequences: what can't be noted is refused, and the queue goes on") {
  PluginQueue queue;
  const bp_backend& table = queue.table();
  Program program(queue);
  program.enqueue(1, 0);
  std::array<float, 3> host{};
  bp_sequence* sequence = nullptr;

  CHECK(queue.error_of(table.sequence_end(queue.get(), &sequence)) ==
        "cuda: no sequence is being recorded on the queue; begin one");
  REQUIRE(table.sequence_begin(queue.get()) == BP_OK);
  const std::string while_recording = " while the queue records a sequence; end the sequence first";
  CHECK(queue.error_of(table.sequence_begin(queue.get())) ==
        "cuda: a second sequence" + while_recording);
  CHECK(queue.error_of(table.upload(queue.get(), program.x.argument(), host.data(), 12)) ==
        "cuda: an upload" + while_recording);
  CHECK(queue.error_of(table.download(queue.get(), program.x.argument(), host.data(), 12)) ==
        "cuda: a download" + while_recording);
  CHECK(queue.error_of(table.queue_synchronize(queue.get())) == "cuda: a wait" + while_recording);
  program.enqueue(2, 0);
  REQUIRE(table.sequence_end(queue.get(), &sequence) == BP_OK);  // refusals have not spoilt it

  const op::Affine::Scalars scalars{2, 0};
  const bp_scalars wire{&scalars, sizeof scalars};
  CHECK(queue.error_of(table.sequence_run(sequence, queue.get(), nullptr, 0)) ==
        "cuda: a sequence with 1 runs that have scalars, replayed with those of 0");
  const bp_scalars wrong{&scalars, 4};
  CHECK(queue.error_of(table.sequence_run(sequence, queue.get(), &wrong, 1)) ==
        "affine: a run brings 4 bytes of scalars, expected 16");
  PluginQueue other;
  CHECK(queue.error_of(table.sequence_run(sequence, other.get(), &wire, 1)) ==
        "cuda: a sequence runs on the queue that recorded it; record it there");
  CHECK(table.sequence_run(sequence, queue.get(), &wire, 1) == BP_OK);
  CHECK(program.z.values() == Floats{4, 8, 12});
  table.sequence_destroy(sequence);
}

TEST_CASE("sequences: a run that fails while it is noted spoils the sequence, not the queue") {
  PluginQueue queue;
  Program program(queue);
  program.enqueue(1, 0);
  const op::Affine::Scalars scalars{2, 0};
  bp_sequence* sequence = nullptr;
  REQUIRE(queue.table().sequence_begin(queue.get()) == BP_OK);
  CHECK(program.affine.try_run(queue, {&program.x}, {&program.y}, &scalars, 4) == BP_INVALID);
  program.enqueue(2, 0);
  CHECK(queue.error_of(queue.table().sequence_end(queue.get(), &sequence)) ==
        "cuda: a run failed while the sequence was recorded; record it again");
  program.enqueue(3, 0);
  CHECK(program.z.values() == Floats{6, 12, 18});
}

TEST_CASE("sequences: a queue that goes while it records leaves nothing behind") {
  PluginQueue queue;
  REQUIRE(queue.table().sequence_begin(queue.get()) == BP_OK);
}
