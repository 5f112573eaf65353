// The asynchronous mode: delayed queues, and the scheduler that lets their work go.
#include "queue.hpp"

#include <algorithm>

namespace backplane::reference {

void Scheduler::attach(DelayedQueue& queue) {
  const auto guard = lock();
  queues_.push_back(&queue);
}

void Scheduler::detach(DelayedQueue& queue) {
  const auto guard = lock();
  std::erase(queues_, &queue);
}

void Scheduler::enqueue(DelayedQueue& queue, std::function<void()> work,
                        std::shared_ptr<Marker> awaited) {
  const auto guard = lock();
  queue.tasks_.push_back({std::move(work), std::move(awaited)});
}

void Scheduler::finish(DelayedQueue& queue) {
  const auto guard = lock();
  const Mood mood = any_mood();
  while (!queue.tasks_.empty()) step(queue, mood);
}

void Scheduler::reach(const std::shared_ptr<Marker>& marker) {
  const auto guard = lock();
  const Mood mood = any_mood();
  while (marker && !marker->reached) step(*marker->queue, mood);
}

bool Scheduler::idle(DelayedQueue& queue) {
  const auto guard = lock();
  if (!queue.tasks_.empty() && random_() % 2 == 0) step(queue, any_mood());
  return queue.tasks_.empty();
}

bool Scheduler::reached(const std::shared_ptr<Marker>& marker) {
  const auto guard = lock();
  if (marker && !marker->reached && random_() % 2 == 0) step(*marker->queue, any_mood());
  return !marker || marker->reached;
}

void Scheduler::step(DelayedQueue& needed, Mood mood) {
  // A recording is enqueued before any wait for it, so following the waits goes back in time and
  // ends at a queue whose front is ready.
  DelayedQueue* next = &needed;
  while (!next->ready()) next = next->tasks_.front().awaited->queue;

  std::vector<DelayedQueue*> others;
  std::ranges::copy_if(queues_, std::back_inserter(others), [&](const DelayedQueue* queue) {
    return queue != next && !queue->tasks_.empty() && queue->ready();
  });
  if (!others.empty() && random_() % 2 < mood) next = others[random_() % others.size()];
  next->run_front();
}

DelayedQueue::DelayedQueue(std::shared_ptr<Scheduler> scheduler)
    : scheduler_(std::move(scheduler)) {
  scheduler_->attach(*this);
}

DelayedQueue::~DelayedQueue() {
  scheduler_->finish(*this);
  scheduler_->detach(*this);
}

void DelayedQueue::submit(std::function<void()> work, std::shared_ptr<Marker> awaited) {
  scheduler_->enqueue(*this, std::move(work), std::move(awaited));
}

bool DelayedQueue::ready() const {
  const Marker* awaited = tasks_.front().awaited.get();
  return awaited == nullptr || awaited->reached;
}

void DelayedQueue::run_front() {
  const Task task = std::move(tasks_.front());
  tasks_.pop_front();
  try {
    task.work();
  } catch (...) {  // belongs to whoever synchronises this queue, not to the one who does now
    if (!failure_) failure_ = std::current_exception();
  }
}

void DelayedQueue::upload(bp_arg target, const void* source, std::uint64_t bytes) {
  const char* from = static_cast<const char*>(source);
  submit([to = plugin::host_pointer(target), content = std::vector<char>(from, from + bytes)] {
    std::ranges::copy(content, to);
  });
}

void DelayedQueue::download(bp_arg source, void* target, std::uint64_t bytes) {
  submit([from = plugin::host_pointer(source), to = static_cast<char*>(target), bytes] {
    std::copy_n(from, bytes, to);
  });
}

void DelayedQueue::copy(bp_arg source, bp_arg target, std::uint64_t bytes) {
  submit([from = plugin::host_pointer(source), to = plugin::host_pointer(target), bytes] {
    std::memmove(to, from, bytes);
  });
}

void DelayedQueue::synchronize() {
  scheduler_->finish(*this);
  const auto guard = scheduler_->lock();
  if (failure_) std::rethrow_exception(failure_);
}

bool DelayedQueue::idle() {
  return scheduler_->idle(*this);
}

void DelayedEvent::record(plugin::Queue& queue) {
  auto& delayed = static_cast<DelayedQueue&>(queue);
  auto marker = std::make_shared<Marker>(Marker{.queue = &delayed});
  delayed.submit([marker] {
    marker->at = std::chrono::steady_clock::now();
    marker->reached = true;
  });
  // Known only once it is enqueued, or another thread could wait for what is in no queue.
  const auto guard = scheduler_->lock();
  latest_ = marker;
}

void DelayedEvent::wait(plugin::Queue& queue) {
  static_cast<DelayedQueue&>(queue).submit([] {}, latest());
}

bool DelayedEvent::done() {
  return scheduler_->reached(latest());
}

void DelayedEvent::synchronize() {
  scheduler_->reach(latest());
}

double DelayedEvent::seconds_until(plugin::Event& last) {
  const auto from = latest();
  const auto to = static_cast<DelayedEvent&>(last).latest();
  const auto guard = scheduler_->lock();
  if (!from || !to || !from->reached || !to->reached) {
    throw plugin::invalid("event: both must be recorded and done; synchronize the last one first");
  }
  return std::chrono::duration<double>(to->at - from->at).count();
}

std::shared_ptr<Marker> DelayedEvent::latest() const {
  const auto guard = scheduler_->lock();
  return latest_;
}

}  // namespace backplane::reference
