// The back end "mutant": forwards everything to the plug-in BACKPLANE_MUTANT_TARGET names, broken
// in the way that BACKPLANE_MUTANT names, or in none if that is unset.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mutant.hpp"

namespace {

using mutants::Mutant;
using mutants::PlanRecord;
using mutants::Slip;

const bp_backend* target = nullptr;
const Mutant* mutant = nullptr;

// What is kept beside the target's own handles.
template <class Key, class Value>
class Beside {
 public:
  void add(Key key, Value value) {
    const std::scoped_lock lock(mutex_);
    values_.insert_or_assign(key, std::move(value));
  }
  Value get(Key key) {
    const std::scoped_lock lock(mutex_);
    return values_.at(key);
  }
  void remove(Key key) {
    const std::scoped_lock lock(mutex_);
    values_.erase(key);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Key, Value> values_;
};

Beside<const bp_plan*, PlanRecord>& records() {
  static Beside<const bp_plan*, PlanRecord> all;
  return all;
}

// Each queue has a second one beside it, on which work runs that should wait and doesn't.
Beside<bp_queue*, bp_queue*>& strays() {
  static Beside<bp_queue*, bp_queue*> all;
  return all;
}

std::string& hook_error() {
  thread_local std::string text;
  return text;
}

const char* last_error() {
  return hook_error().empty() ? target->last_error() : hook_error().c_str();
}

bool slips(Slip slip) {
  return mutant != nullptr && mutant->slip == slip;
}

bp_queue* queue_for(bp_queue* queue, bool stray) {
  return stray ? strays().get(queue) : queue;
}

bp_status queue_create(bp_device* device, bp_queue** queue) {
  const bp_status status = target->queue_create(device, queue);
  if (status != BP_OK) return status;
  bp_queue* stray = nullptr;
  const bp_status second = target->queue_create(device, &stray);
  if (second == BP_OK) strays().add(*queue, stray);
  return second;
}

void queue_destroy(bp_queue* queue) {
  target->queue_destroy(strays().get(queue));
  strays().remove(queue);
  target->queue_destroy(queue);
}

bp_status queue_synchronize(bp_queue* queue) {
  const bp_status status = target->queue_synchronize(strays().get(queue));
  return status == BP_OK ? target->queue_synchronize(queue) : status;
}

bp_status queue_error(bp_queue* queue, std::uint32_t clear, bp_error_record* record) {
  const bp_status status = target->queue_error(queue, slips(Slip::error_clear) ? 0 : clear, record);
  if (slips(Slip::error_record)) record->fault = BP_FAULT_NONE;
  return status;
}

bp_status upload(bp_queue* queue, bp_arg to, const void* source, std::uint64_t bytes) {
  return target->upload(queue_for(queue, slips(Slip::upload_order)), to, source, bytes);
}

bp_status download(bp_queue* queue, bp_arg source, void* to, std::uint64_t bytes) {
  return target->download(queue_for(queue, slips(Slip::download_order)), source, to, bytes);
}

bp_status event_wait(bp_event* event, bp_queue* queue) {
  return slips(Slip::event_wait) ? BP_OK : target->event_wait(event, queue);
}

bp_status event_synchronize(bp_event* event) {
  return slips(Slip::event_synchronize) ? BP_OK : target->event_synchronize(event);
}

PlanRecord record_of(const bp_plan_request& request) {
  const auto* params = static_cast<const std::byte*>(request.op.params);
  return {request.op.id,
          {params, params + (params == nullptr ? 0 : request.op.size)},
          {request.inputs, request.inputs + request.input_count},
          {request.outputs, request.outputs + request.output_count}};
}

bp_status plan_create(bp_device* device, bp_plan_request* request, bp_plan** plan) {
  hook_error().clear();
  if (mutant == nullptr || mutant->change_request == nullptr) {
    const bp_status status = target->plan_create(device, request, plan);
    if (status == BP_OK) records().add(*plan, record_of(*request));
    return status;
  }
  // Tensors of its own, so that the program doesn't learn of what was changed.
  std::vector<bp_tensor_desc> inputs(request->inputs, request->inputs + request->input_count);
  bp_plan_request changed = *request;
  changed.inputs = inputs.data();
  mutant->change_request(changed);
  const bp_status status = target->plan_create(device, &changed, plan);
  if (status != BP_OK) return status;
  records().add(*plan, record_of(changed));
  request->workspace_bytes = changed.workspace_bytes;
  request->prepared_bytes = changed.prepared_bytes;
  std::ranges::copy(changed.implementation, request->implementation);
  return BP_OK;
}

bp_status plan_run(bp_plan* plan, bp_queue* queue, const bp_run* run) {
  hook_error().clear();
  static std::atomic<unsigned> runs = 0;
  if (slips(Slip::run_order) && ++runs % 2 == 0) queue = strays().get(queue);
  if (mutant == nullptr || (mutant->before_run == nullptr && mutant->after_run == nullptr)) {
    return target->plan_run(plan, queue, run);
  }
  try {
    const PlanRecord record = records().get(plan);
    const auto* scalars = static_cast<const std::byte*>(run->scalars);
    mutants::Run changed{*target,
                         record,
                         queue,
                         {run->inputs, run->inputs + run->input_count},
                         {run->outputs, run->outputs + run->output_count},
                         {scalars, scalars + run->scalar_bytes}};
    if (mutant->before_run != nullptr) mutant->before_run(changed);
    bp_run arguments = *run;
    arguments.inputs = changed.inputs.data();
    arguments.scalars = changed.scalars.data();
    const bp_status status = target->plan_run(plan, queue, &arguments);
    if (status == BP_OK && mutant->after_run != nullptr) mutant->after_run(changed);
    return status;
  } catch (const std::exception& error) {
    hook_error() = error.what();
    return BP_FAILED;
  }
}

void plan_destroy(bp_plan* plan) {
  records().remove(plan);
  target->plan_destroy(plan);
}

const bp_backend* refuse(const bp_host* host, const std::string& why) {
  host->log(2, ("mutant: " + why).c_str());
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const bp_backend* backplane_backend(
    const bp_host* host) {
  const char* path = std::getenv("BACKPLANE_MUTANT_TARGET");
  if (path == nullptr) return refuse(host, "set BACKPLANE_MUTANT_TARGET to a plug-in's path");
  if (const char* name = std::getenv("BACKPLANE_MUTANT"); name != nullptr && *name != '\0') {
    mutant = mutants::find_mutant(name);
    if (mutant == nullptr) return refuse(host, std::string("there is no mutant ") + name);
  }
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse(host, dlerror());
  const auto entry = reinterpret_cast<bp_entry>(dlsym(library, "backplane_backend"));
  target = entry == nullptr ? nullptr : entry(host);
  if (target == nullptr) return refuse(host, std::string(path) + " gives no table");

  static bp_backend table;
  table = *target;
  table.name = "mutant";
  table.plan_create = plan_create;
  table.plan_run = plan_run;
  table.plan_destroy = plan_destroy;
  table.queue_create = queue_create;
  table.queue_destroy = queue_destroy;
  table.queue_synchronize = queue_synchronize;
  table.queue_error = queue_error;
  table.upload = upload;
  table.download = download;
  table.event_wait = event_wait;
  table.event_synchronize = event_synchronize;
  table.last_error = last_error;
  return &table;
}
