// A back end that throws from the slots that BACKPLANE_TEST_FAULTY names ("all" for each), an
// exception of the standard library or, with BACKPLANE_TEST_THROWS=int, none of it. "unsupported"
// makes the slot decline, "null" hand over nothing. It fills every optional slot.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "backplane/plugin/host_backend.hpp"

namespace {

using namespace backplane;

bool is(const char* variable, std::string_view value) {
  const char* text = std::getenv(variable);
  return text != nullptr && text == value;
}

// False: the slot is to return a null pointer.
bool proceed(std::string_view slot) {
  if (!is("BACKPLANE_TEST_FAULTY", slot) && !is("BACKPLANE_TEST_FAULTY", "all")) return true;
  if (is("BACKPLANE_TEST_THROWS", "null")) return false;
  if (is("BACKPLANE_TEST_THROWS", "int")) throw 42;
  if (is("BACKPLANE_TEST_THROWS", "unsupported")) throw plugin::unsupported("not today");
  throw std::runtime_error(std::string(slot) + " is broken");
}

struct ThrowingSequence final : plugin::Sequence {
  void run(plugin::Queue&, std::span<const bp_scalars>) override { proceed("sequence_run"); }
};

struct ThrowingQueue final : plugin::InlineQueue {
  void upload(bp_arg target, const void* source, std::uint64_t bytes) override {
    proceed("upload");
    InlineQueue::upload(target, source, bytes);
  }
  void download(bp_arg source, void* target, std::uint64_t bytes) override {
    proceed("download");
    InlineQueue::download(source, target, bytes);
  }
  void copy(bp_arg source, bp_arg target, std::uint64_t bytes) override {
    proceed("copy");
    InlineQueue::copy(source, target, bytes);
  }
  void synchronize() override { proceed("queue_synchronize"); }
  bool idle() override { return proceed("queue_query"); }
  bp_error_record error(bool clear) override {
    proceed("queue_error");
    return InlineQueue::error(clear);
  }
  void* native() override { return proceed("native_handle") ? this : nullptr; }
  void copy_peer(bp_arg source, bp_arg target, std::uint64_t bytes) override {
    proceed("copy_peer");
    InlineQueue::copy(source, target, bytes);
  }
  void upload_pinned(bp_arg target, const void* source, std::uint64_t bytes) override {
    proceed("upload_pinned");
    InlineQueue::upload(target, source, bytes);
  }
  void begin_sequence() override { proceed("sequence_begin"); }
  std::unique_ptr<plugin::Sequence> end_sequence() override {
    return proceed("sequence_end") ? std::make_unique<ThrowingSequence>() : nullptr;
  }
};

struct ThrowingEvent final : plugin::Event {
  void record(plugin::Queue&) override { proceed("event_record"); }
  void wait(plugin::Queue&) override { proceed("event_wait"); }
  bool done() override { return proceed("event_query"); }
  void synchronize() override { proceed("event_synchronize"); }
  double seconds_until(plugin::Event&) override { return proceed("event_elapsed") ? 1 : 0; }
};

struct ThrowingPlan final : plugin::HostPlan {
  void compute(const plugin::HostRun&) override { proceed("plan_run"); }
};

struct ThrowingDevice final : plugin::HostDevice<ThrowingDevice> {
  void info(bp_device_info& info) override {
    proceed("device_info");
    HostDevice::info(info);
  }
  void memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) override {
    proceed("memory_info");
    free_bytes = total_bytes = 1 << 30;
  }
  std::unique_ptr<plugin::Buffer> wrap(void* memory, std::uint64_t bytes) override {
    return proceed("buffer_wrap") ? HostDevice::wrap(memory, bytes) : nullptr;
  }
  std::unique_ptr<plugin::Queue> create_queue() override {
    return proceed("queue_create") ? std::make_unique<ThrowingQueue>() : nullptr;
  }
  std::unique_ptr<plugin::Event> create_event() override {
    return proceed("event_create") ? std::make_unique<ThrowingEvent>() : nullptr;
  }
  void layout_info(const bp_tensor_desc& desc, bp_layout_info& info) override {
    proceed("layout_info");
    HostDevice::layout_info(desc, info);
  }
  void monitor(bp_monitor& monitor) override {
    proceed("device_monitor");
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    monitor = {sizeof monitor, 0, 25, 60.5, unknown, 1410, unknown};
  }
  void* allocate_pinned(std::uint64_t bytes) override {
    return proceed("host_alloc") ? std::malloc(bytes) : nullptr;
  }
  void set_option(const std::string& key, const std::string& value) override {
    proceed("set_option");
    HostDevice::set_option(key, value);
  }
  // Answers with whatever the test wants to see refused.
  std::unique_ptr<plugin::Plan> plan(const op::Relu&, plugin::Request& request) {
    if (!proceed("plan_create")) return nullptr;
    bp_tensor_desc& output = request.outputs[0];
    if (is("BACKPLANE_TEST_FAULTY", "open_layout")) return std::make_unique<ThrowingPlan>();
    output.layout = BP_LAYOUT_STRIDED;
    std::copy_n(request.inputs[0].strides, BP_MAX_RANK, output.strides);
    if (is("BACKPLANE_TEST_FAULTY", "other_shape")) output.dims[0] += 1;
    if (is("BACKPLANE_TEST_FAULTY", "other_rank")) output.rank = 1000;
    if (is("BACKPLANE_TEST_FAULTY", "negative_stride")) output.strides[0] = -1;
    return std::make_unique<ThrowingPlan>();
  }
  // Copy that asks for a copy first would never end.
  std::unique_ptr<plugin::Plan> plan(const op::Copy&, plugin::Request& request) {
    request.inputs[0].strides[0] += 1;
    request.outputs[0].layout = BP_LAYOUT_STRIDED;
    return std::make_unique<ThrowingPlan>();
  }
};

struct Thrower {
  static constexpr const char* name = "thrower";
  static constexpr const char* version = "1";
  static constexpr plugin::Offers offers{
      .peer_copies = true, .monitor = true, .pinned_memory = true, .sequences = true};
  static std::uint32_t device_count() { return proceed("device_count") ? 2 : 0; }
  static void free_pinned(void* memory) { std::free(memory); }
  static plugin::Diagnosis diagnose() {
    proceed("diagnose");
    return {};
  }
  static std::unique_ptr<plugin::Device> open(std::uint32_t) {
    return proceed("device_open") ? std::make_unique<ThrowingDevice>() : nullptr;
  }
};

}  // namespace

BACKPLANE_BACKEND(Thrower)
