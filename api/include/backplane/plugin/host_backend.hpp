// Memory, queue and events for a back end that computes on the CPU: the core's own memory is
// wrapped, work runs at once on the calling thread. Derive a device from HostDevice<MyDevice>,
// plans from HostPlan, and write `compute`.
#pragma once

#include <unistd.h>

#include <chrono>
#include <mutex>

#include "backplane/plugin/backend.hpp"

namespace backplane::plugin {

class HostBuffer final : public Buffer {
 public:
  HostBuffer(void* memory, std::uint64_t size) : memory_(static_cast<char*>(memory)), bytes(size) {}
  void* native() override { return memory_; }
  [[nodiscard]] char* at(std::uint64_t offset) const { return memory_ + offset; }

 private:
  char* memory_;

 public:
  const std::uint64_t bytes;
};

// The bytes of one argument; null for an absent one.
template <class T = char>
[[nodiscard]] T* host_pointer(const bp_arg& arg) {
  if (arg.buffer == nullptr) return nullptr;
  auto& buffer = static_cast<HostBuffer&>(*reinterpret_cast<Buffer*>(arg.buffer));
  return reinterpret_cast<T*>(buffer.at(arg.offset));
}

// Keeps the fault with the lowest (sequence, index). Safe from several threads.
class FaultRecord {
 public:
  void report(std::uint64_t sequence, std::int64_t index, std::int64_t value, std::int64_t limit) {
    const std::scoped_lock lock(mutex_);
    const bool earlier = record_.fault == BP_FAULT_NONE || sequence < record_.sequence ||
                         (sequence == record_.sequence && index < record_.index);
    if (!earlier) return;
    record_ = {sizeof record_, BP_FAULT_INDEX_OUT_OF_RANGE, sequence, index, value, limit};
  }
  [[nodiscard]] bool set() const {
    const std::scoped_lock lock(mutex_);
    return record_.fault != BP_FAULT_NONE;
  }
  bp_error_record read(bool clear) {
    const std::scoped_lock lock(mutex_);
    const bp_error_record now = record_;
    if (clear) record_ = {sizeof record_, BP_FAULT_NONE, 0, 0, 0, 0};
    return now;
  }

 private:
  mutable std::mutex mutex_;
  bp_error_record record_{sizeof record_, BP_FAULT_NONE, 0, 0, 0, 0};
};

// Runs everything at once, on the caller's thread.
class InlineQueue : public Queue {
 public:
  void upload(bp_arg target, const void* source, std::uint64_t bytes) override {
    std::memcpy(host_pointer(target), source, bytes);
  }
  void download(bp_arg source, void* target, std::uint64_t bytes) override {
    std::memcpy(target, host_pointer(source), bytes);
  }
  void copy(bp_arg source, bp_arg target, std::uint64_t bytes) override {
    std::memmove(host_pointer(target), host_pointer(source), bytes);
  }
  void synchronize() override {}
  bool idle() override { return true; }
  bp_error_record error(bool clear) override { return faults.read(clear); }

  FaultRecord faults;
};

class InlineEvent final : public Event {
 public:
  void record(Queue&) override { at_ = std::chrono::steady_clock::now(); }
  void wait(Queue&) override {}
  bool done() override { return true; }
  void synchronize() override {}
  double seconds_until(Event& last) override {
    return std::chrono::duration<double>(static_cast<InlineEvent&>(last).at_ - at_).count();
  }

 private:
  std::chrono::steady_clock::time_point at_{};
};

// What a kernel on the CPU may touch during one run.
struct HostRun {
  const bp_run& run;
  FaultRecord& faults;

  template <class T = char>
  [[nodiscard]] const T* input(std::size_t i) const {
    return i < run.input_count ? host_pointer<T>(run.inputs[i]) : nullptr;
  }
  template <class T = char>
  [[nodiscard]] T* output(std::size_t i) const {
    return i < run.output_count ? host_pointer<T>(run.outputs[i]) : nullptr;
  }
  template <class T = char>
  [[nodiscard]] T* workspace() const {
    return host_pointer<T>(run.workspace);
  }
  template <class T = char>
  [[nodiscard]] T* prepared() const {
    return host_pointer<T>(run.prepared);
  }
};

// `compute` computes; `pack` fills run.prepared(), where the plan asked for such memory.
class HostPlan : public Plan {
 public:
  virtual void compute(const HostRun& run) = 0;
  void run(Queue& queue, const bp_run& run) override {
    compute({run, static_cast<InlineQueue&>(queue).faults});
  }
  virtual void pack(const HostRun&) { throw invalid("this plan prepares nothing"); }
  void prepare(Queue& queue, const bp_run& run) override {
    pack({run, static_cast<InlineQueue&>(queue).faults});
  }
};

template <class D>
class HostDevice : public DeviceOf<D> {
 public:
  void info(bp_device_info& info) override {
    info.kind = BP_KIND_CPU;
    info.memory_space = BP_MEMORY_HOST;
    info.alignment = 64;
    std::uint64_t available = 0;
    memory_info(available, info.memory_bytes);
  }
  void memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    free_bytes = page * static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES));
    total_bytes = page * static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  }
  std::unique_ptr<Buffer> wrap(void* memory, std::uint64_t bytes) override {
    return std::make_unique<HostBuffer>(memory, bytes);
  }
  std::unique_ptr<Queue> create_queue() override { return std::make_unique<InlineQueue>(); }
  std::unique_ptr<Event> create_event() override { return std::make_unique<InlineEvent>(); }
};

}  // namespace backplane::plugin
