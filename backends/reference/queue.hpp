// Queues that put work off and take it in a random order, so that a wait that is missing gives a
// wrong result here, without a GPU.
//
// Nothing runs until a synchronisation asks for it. Then one task after the other is taken: from
// the front of the queue that is asked for, of a queue that it waits for, or, as the seed has it,
// of any other one. In-order within a queue; a wait holds its queue back until the event is there.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "backplane/plugin/host_backend.hpp"

namespace backplane::reference {

class DelayedQueue;

// The parts of a tiled run, one after the other.
inline constexpr auto in_turn = [](unsigned parts, const auto& body) {
  for (unsigned part = 0; part < parts; ++part) body(part);
};

// One recording of an event. Later recordings of the same event don't move earlier waits.
struct Marker {
  DelayedQueue* queue;  // followed only before the marker is reached, hence before the queue ends
  bool reached = false;
  std::chrono::steady_clock::time_point at{};
};

// Holds the queues of one device back, and lets them go. Its lock guards every queue, every marker
// and the random numbers, also while a task runs: one task at a time is what the seed orders.
class Scheduler {
 public:
  explicit Scheduler(std::uint64_t seed) : random_(seed) {}

  void attach(DelayedQueue& queue);
  void detach(DelayedQueue& queue);
  void enqueue(DelayedQueue& queue, std::function<void()> work, std::shared_ptr<Marker> awaited);

  // Runs tasks until the queue is empty, or the marker is reached.
  void finish(DelayedQueue& queue);
  void reach(const std::shared_ptr<Marker>& marker);

  // The same questions, answered after one task or none.
  [[nodiscard]] bool idle(DelayedQueue& queue);
  [[nodiscard]] bool reached(const std::shared_ptr<Marker>& marker);

  // Guards what is read outside of a task.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

 private:
  // How ready it is to run work that nobody asked for: 0 never, 1 now and then, 2 before all else.
  using Mood = std::uint64_t;
  [[nodiscard]] Mood any_mood() { return random_() % 3; }
  void step(DelayedQueue& needed, Mood mood);

  std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<DelayedQueue*> queues_;
};

class DelayedQueue final : public plugin::Queue {
 public:
  explicit DelayedQueue(std::shared_ptr<Scheduler> scheduler);
  ~DelayedQueue() override;

  void submit(std::function<void()> work) { submit(std::move(work), nullptr); }
  void submit(std::function<void()> work, std::shared_ptr<Marker> awaited);

  void upload(bp_arg target, const void* source, std::uint64_t bytes) override;
  void download(bp_arg source, void* target, std::uint64_t bytes) override;
  void copy(bp_arg source, bp_arg target, std::uint64_t bytes) override;
  void synchronize() override;
  bool idle() override;
  bp_error_record error(bool clear) override { return faults.read(clear); }
  void run_tiled(const bp_tiled_run& run) override;

  plugin::FaultRecord faults;

 private:
  friend class Scheduler;
  struct Task {
    std::function<void()> work;
    std::shared_ptr<Marker> awaited;  // null: ready
  };
  [[nodiscard]] bool ready() const;
  void run_front();

  std::shared_ptr<Scheduler> scheduler_;
  std::deque<Task> tasks_;
  std::exception_ptr failure_;  // of the first task that threw; every later synchronize repeats it
};

class DelayedEvent final : public plugin::Event {
 public:
  explicit DelayedEvent(std::shared_ptr<Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}
  void record(plugin::Queue& queue) override;
  void wait(plugin::Queue& queue) override;
  bool done() override;
  void synchronize() override;
  double seconds_until(plugin::Event& last) override;

 private:
  [[nodiscard]] std::shared_ptr<Marker> latest() const;

  std::shared_ptr<Scheduler> scheduler_;
  std::shared_ptr<Marker> latest_;  // null: never recorded
};

}  // namespace backplane::reference
