// The back end "mutant": forwards everything to the plug-in BACKPLANE_MUTANT_TARGET names, broken
// in the way that BACKPLANE_MUTANT names, or in none if that is unset.
#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <unordered_map>

#include "mutant.hpp"

namespace {

using mutants::Mutant;
using mutants::PlanRecord;

const bp_backend* target = nullptr;
const Mutant* mutant = nullptr;

// Plans are the target's own handles; what they are for is kept beside.
class PlanRecords {
 public:
  void add(const bp_plan* plan, const bp_plan_request& request) {
    const std::scoped_lock lock(mutex_);
    records_[plan] = {request.op.id,
                      {request.inputs, request.inputs + request.input_count},
                      {request.outputs, request.outputs + request.output_count}};
  }
  PlanRecord get(const bp_plan* plan) {
    const std::scoped_lock lock(mutex_);
    return records_.at(plan);
  }
  void remove(const bp_plan* plan) {
    const std::scoped_lock lock(mutex_);
    records_.erase(plan);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const bp_plan*, PlanRecord> records_;
};

PlanRecords& records() {
  static PlanRecords all;
  return all;
}

std::string& hook_error() {
  thread_local std::string text;
  return text;
}

const char* last_error() {
  return hook_error().empty() ? target->last_error() : hook_error().c_str();
}

bp_status plan_create(bp_device* device, bp_plan_request* request, bp_plan** plan) {
  hook_error().clear();
  if (mutant != nullptr && mutant->change_request != nullptr) mutant->change_request(*request);
  const bp_status status = target->plan_create(device, request, plan);
  if (status == BP_OK) records().add(*plan, *request);
  return status;
}

bp_status plan_run(bp_plan* plan, bp_queue* queue, const bp_run* run) {
  hook_error().clear();
  const bp_status status = target->plan_run(plan, queue, run);
  if (status != BP_OK || mutant == nullptr || mutant->after_run == nullptr) return status;
  try {
    mutant->after_run({*target, records().get(plan), queue, *run});
  } catch (const std::exception& error) {
    hook_error() = error.what();
    return BP_FAILED;
  }
  return BP_OK;
}

void plan_destroy(bp_plan* plan) {
  records().remove(plan);
  target->plan_destroy(plan);
}

bp_status event_wait(bp_event* event, bp_queue* queue) {
  if (mutant != nullptr && mutant->drops_event_wait) return BP_OK;
  return target->event_wait(event, queue);
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
  table.event_wait = event_wait;
  table.last_error = last_error;
  return &table;
}
