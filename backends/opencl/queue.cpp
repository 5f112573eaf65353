// Transfers, launches, waiting, and the way of a fault from a kernel to the host.
#include "queue.hpp"

#include "buffer.hpp"

namespace backplane::opencl {
namespace {

static_assert(BP_FAULT_INDEX_OUT_OF_RANGE == 1, "check_range.cl writes it as a number");

constexpr bp_error_record no_fault{sizeof(bp_error_record), BP_FAULT_NONE, 0, 0, 0, 0};

// Drivers may hold commands back until they are flushed; a flush costs more than a launch.
constexpr int commands_per_flush = 16;

card::Memory checked(const bp_arg& argument, std::uint64_t bytes, const char* what) {
  card::check_span(argument, bytes, what);
  return card::memory_of(argument);
}

cl_mem handle_of(const card::Memory& memory) {
  return static_cast<cl_mem>(memory.handle);
}

CommandQueue make_queue(cl_context context, cl_device_id device) {
  cl_int code = CL_SUCCESS;
  CommandQueue made(cl().clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code));
  check(code, "creating a queue");
  return made;
}

}  // namespace

OpenclQueue::OpenclQueue(cl_context context, Programs& programs)
    : programs_(programs),
      queue_(make_queue(context, programs.device())),
      staging_(context, queue_.get()),
      record_(allocate(context, sizeof(Fault), false)),
      kernels_(programs.kernel_count()),
      last_(no_fault) {
  clear_record();
}

// Nothing here throws: on a lost device every call fails, and the memory must go all the same.
OpenclQueue::~OpenclQueue() {
  cl().clFinish(queue_.get());
}

void OpenclQueue::clear_record() {
  static constexpr Fault none{};  // outlives the transfer
  check(cl().clEnqueueWriteBuffer(queue_.get(), record_.get(), CL_FALSE, 0, sizeof none, &none, 0,
                                  nullptr, nullptr),
        "clearing the error record");
  enqueued();
}

card::Memory OpenclQueue::mirror() const {
  may_have_fault_ = true;
  return record();
}

void OpenclQueue::enqueued() {
  busy_ = true;
  marker_.reset();
  if (++unflushed_ < commands_per_flush) return;
  unflushed_ = 0;
  check(cl().clFlush(queue_.get()), "starting queued work");
}

void OpenclQueue::upload(bp_arg target, const void* source, std::uint64_t bytes) {
  staging_.upload(checked(target, bytes, "upload"), static_cast<const char*>(source), bytes);
  enqueued();
}

void OpenclQueue::download(bp_arg source, void* target, std::uint64_t bytes) {
  const card::Memory from = checked(source, bytes, "download");
  if (bytes == 0) return;
  check(cl().clEnqueueReadBuffer(queue_.get(), handle_of(from), CL_FALSE,
                                 static_cast<std::size_t>(from.offset), bytes, target, 0, nullptr,
                                 nullptr),
        "downloading");
  enqueued();
}

void OpenclQueue::copy(bp_arg source, bp_arg target, std::uint64_t bytes) {
  const card::Memory from = checked(source, bytes, "copy"), to = checked(target, bytes, "copy");
  if (bytes != 0) copy_memory(to, from, bytes);
}

void OpenclQueue::copy_memory(const card::Memory& target, const card::Memory& source,
                              std::uint64_t bytes) {
  check(
      cl().clEnqueueCopyBuffer(queue_.get(), handle_of(source), handle_of(target),
                               static_cast<std::size_t>(source.offset),
                               static_cast<std::size_t>(target.offset), bytes, 0, nullptr, nullptr),
      "copying on the device");
  enqueued();
}

const Compiled& OpenclQueue::kernel(std::uint32_t number) {
  Compiled& made = kernels_[number];
  if (made.handle == nullptr) made = programs_.make_kernel(number);
  return made;
}

void OpenclQueue::launch(std::uint32_t number, card::Groups groups,
                         std::span<const card::Value> values) {
  const Compiled& chosen = kernel(number);
  for (std::size_t i = 0; i < values.size(); ++i) {
    check(cl().clSetKernelArg(chosen.handle.get(), static_cast<cl_uint>(i), values[i].bytes,
                              values[i].address),
          "setting an argument of a kernel");
  }
  const std::size_t local = chosen.group;
  const std::size_t global = local * std::min<std::size_t>(groups, programs_.most_groups());
  const cl_int code = cl().clEnqueueNDRangeKernel(queue_.get(), chosen.handle.get(), 1, nullptr,
                                                  &global, &local, 0, nullptr, nullptr);
  if (code != CL_SUCCESS) throw failure(code, "launching " + programs_.name_of(number));
  enqueued();
}

void OpenclQueue::synchronize() {
  const bool reads_record = may_have_fault_;
  if (reads_record) {
    check(cl().clEnqueueReadBuffer(queue_.get(), record_.get(), CL_FALSE, 0, sizeof fault_, &fault_,
                                   0, nullptr, nullptr),
          "reading the error record");
  }
  check(cl().clFinish(queue_.get()), "waiting for a queue");
  unflushed_ = 0;
  busy_ = false;
  if (!reads_record) return;
  may_have_fault_ = false;
  last_ = {sizeof last_, fault_.code, fault_.sequence, fault_.index, fault_.value, fault_.limit};
}

// Flushed, or the answer would stay no.
void OpenclQueue::mark() {
  cl_event made = nullptr;
  check(cl().clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &made),
        "asking whether a queue is idle");
  marker_.reset(made);
  check(cl().clFlush(queue_.get()), "asking whether a queue is idle");
}

bool OpenclQueue::idle() {
  if (!busy_) return true;
  if (marker_ == nullptr) mark();
  cl_int status = CL_COMPLETE;
  check(cl().clGetEventInfo(marker_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                            &status, nullptr),
        "asking whether a queue is idle");
  check(std::min(status, CL_SUCCESS), "the work on a queue");  // below 0 it is an error
  busy_ = status != CL_COMPLETE;
  return !busy_;
}

bp_error_record OpenclQueue::error(bool clear) {
  const bp_error_record now = last_;
  if (clear && now.fault != BP_FAULT_NONE) {
    clear_record();
    last_ = no_fault;
  }
  return now;
}

}  // namespace backplane::opencl
