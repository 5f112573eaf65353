// The plug-in's table in the hands of a test.
#include "plugin_table.h"

#include <dlfcn.h>

#include <cstdlib>

namespace backplane::sim {
namespace {

const bp_host& host() {
  static const bp_host table{sizeof(bp_host),
                             BP_ABI_MAJOR,
                             BP_ABI_MINOR,
                             [](std::uint32_t, const char*) {},
                             [](std::uint64_t bytes) { return std::malloc(bytes); },
                             [](void* memory, std::uint64_t) { std::free(memory); },
                             [] { return std::uint32_t{1}; }};
  return table;
}

std::vector<bp_tensor_desc> descs_of(const PluginTensors& tensors) {
  std::vector<bp_tensor_desc> descs;
  for (const PluginTensor* tensor : tensors) descs.push_back(tensor->desc());
  return descs;
}

std::vector<bp_arg> arguments_of(const PluginTensors& tensors) {
  std::vector<bp_arg> arguments;
  for (const PluginTensor* tensor : tensors) arguments.push_back(tensor->argument());
  return arguments;
}

}  // namespace

const bp_backend& plugin_table() {
  static const bp_backend& table = [&]() -> const bp_backend& {
    void* library = dlopen(BACKPLANE_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(library != nullptr, dlerror());
    const auto entry = reinterpret_cast<bp_entry>(dlsym(library, "backplane_backend"));
    REQUIRE(static_cast<bool>(entry));
    return *entry(&host());
  }();
  return table;
}

PluginQueue::PluginQueue() {
  REQUIRE(table_.device_open(0, &device_) == BP_OK);
  REQUIRE(table_.queue_create(device_, &queue_) == BP_OK);
}

PluginQueue::~PluginQueue() {
  table_.queue_destroy(queue_);
  table_.device_close(device_);
}

std::string PluginQueue::error_of(bp_status status) const {
  return status == BP_OK ? "no error" : table_.last_error();
}

PluginTensor::PluginTensor(const PluginQueue& queue, const std::vector<float>& values)
    : queue_(queue), count_(values.size()) {
  REQUIRE(queue.table().buffer_alloc(queue.device(), count_ * sizeof(float), &buffer_) == BP_OK);
  write(values);
}

PluginTensor::~PluginTensor() {
  queue_.table().buffer_free(buffer_);
}

void PluginTensor::write(const std::vector<float>& values) {
  REQUIRE(queue_.table().upload(queue_.get(), argument(), values.data(), count_ * sizeof(float)) ==
          BP_OK);
}

std::vector<float> PluginTensor::values() const {
  std::vector<float> read(count_);
  REQUIRE(queue_.table().download(queue_.get(), argument(), read.data(), count_ * sizeof(float)) ==
          BP_OK);
  REQUIRE(queue_.table().queue_synchronize(queue_.get()) == BP_OK);
  return read;
}

bp_tensor_desc PluginTensor::desc() const {
  bp_tensor_desc desc{};
  desc.dtype = BP_F32;
  desc.rank = 1;
  desc.dims[0] = static_cast<std::int64_t>(count_);
  desc.strides[0] = 1;
  return desc;
}

PluginPlan::PluginPlan(const PluginQueue& queue, const PluginTensors& inputs,
                       const PluginTensors& outputs, const op::Row& row, const void* params,
                       std::size_t bytes)
    : table_(queue.table()) {
  std::vector<bp_tensor_desc> in = descs_of(inputs), out = descs_of(outputs);
  bp_plan_request request{};
  request.struct_size = sizeof request;
  request.threads = 1;
  request.op = {row.id, static_cast<std::uint32_t>(bytes), params, row.name};
  request.inputs = in.data();
  request.outputs = out.data();
  request.input_count = static_cast<std::uint32_t>(in.size());
  request.output_count = static_cast<std::uint32_t>(out.size());
  REQUIRE(table_.plan_create(queue.device(), &request, &plan_) == BP_OK);
  REQUIRE(request.workspace_bytes == 0);
}

PluginPlan::~PluginPlan() {
  table_.plan_destroy(plan_);
}

bp_status PluginPlan::try_run(const PluginQueue& queue, const PluginTensors& inputs,
                              const PluginTensors& outputs, const void* scalars,
                              std::size_t bytes) const {
  const std::vector<bp_arg> in = arguments_of(inputs), out = arguments_of(outputs);
  bp_run run{};
  run.struct_size = sizeof run;
  run.input_count = static_cast<std::uint32_t>(in.size());
  run.output_count = static_cast<std::uint32_t>(out.size());
  run.inputs = in.data();
  run.outputs = out.data();
  run.scalars = scalars;
  run.scalar_bytes = static_cast<std::uint32_t>(bytes);
  return table_.plan_run(plan_, queue.get(), &run);
}

void PluginSequence::run(const std::vector<bp_scalars>& scalars) const {
  REQUIRE(queue_.table().sequence_run(sequence_, queue_.get(), scalars.data(),
                                      static_cast<std::uint32_t>(scalars.size())) == BP_OK);
}

}  // namespace backplane::sim
