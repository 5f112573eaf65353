// Transfers, waiting, and the way of a fault from a kernel to the host.
#include "queue.hpp"

#include <cstring>

#include "peers.hpp"

namespace backplane::cuda {
namespace {

static_assert(BP_FAULT_INDEX_OUT_OF_RANGE == 1, "check_range.cl writes it as a number");

constexpr bp_error_record no_fault{sizeof(bp_error_record), BP_FAULT_NONE, 0, 0, 0, 0};

char* checked_pointer(const bp_arg& argument, std::uint64_t bytes, const char* what) {
  card::check_span(argument, bytes, what);
  return address(card::memory_of(argument));
}

StreamHandle make_stream_on(int ordinal) {
  const CurrentDevice scope(ordinal);
  return make_stream();
}

}  // namespace

CudaQueue::CudaQueue(int ordinal)
    : ordinal_(ordinal),
      stream_(make_stream_on(ordinal)),
      last_(no_fault),
      staging_(stream_.get()) {
  const CurrentDevice scope(ordinal_);
  blas_ = make_blas(stream_.get());
  record_.reset(static_cast<char*>(allocate_device(sizeof(Fault))));
  mirror_.reset(static_cast<char*>(allocate_pinned(sizeof(Fault))));
  void* mapped = nullptr;
  check(cudaHostGetDevicePointer(&mapped, mirror_.get(), 0), "mapping the error record");
  mirror_on_device_ = static_cast<char*>(mapped);
  clear_record();
  check(cudaStreamSynchronize(stream_.get()), "creating a queue");
}

// Nothing here throws: on a lost device every call fails, and the memory must go all the same.
CudaQueue::~CudaQueue() {
  int previous = 0;
  cudaGetDevice(&previous);
  cudaSetDevice(ordinal_);
  recorder_.reset();
  cudaStreamSynchronize(stream_.get());
  blas_.reset();
  cudaSetDevice(previous);
}

// In the order of the queue: what runs until then still sees the fault, and as long as it is set no
// kernel writes the mirror, so that the host may.
void CudaQueue::clear_record() {
  std::memset(mirror_.get(), 0, sizeof(Fault));
  check(cudaMemsetAsync(record_.get(), 0, sizeof(Fault), stream_.get()),
        "clearing the error record");
}

void CudaQueue::refuse_while_recording(const char* what) const {
  if (recorder_ == nullptr) return;
  throw plugin::invalid(std::string("cuda: ") + what +
                        " while the queue records a sequence; end the sequence first");
}

void CudaQueue::upload(bp_arg target, const void* source, std::uint64_t bytes) {
  refuse_while_recording("an upload");
  const CurrentDevice scope(ordinal_);
  staging_.upload(checked_pointer(target, bytes, "upload"), static_cast<const char*>(source),
                  bytes);
}

void CudaQueue::download(bp_arg source, void* target, std::uint64_t bytes) {
  refuse_while_recording("a download");
  const CurrentDevice scope(ordinal_);
  staging_.download(checked_pointer(source, bytes, "download"), static_cast<char*>(target), bytes);
}

void CudaQueue::copy(bp_arg source, bp_arg target, std::uint64_t bytes) {
  card::check_span(target, bytes, "copy");
  card::check_span(source, bytes, "copy");
  copy_memory(card::memory_of(target), card::memory_of(source), bytes);
}

void CudaQueue::copy_memory(const card::Memory& target, const card::Memory& source,
                            std::uint64_t bytes) {
  const CurrentDevice scope(ordinal_);
  check(cudaMemcpyAsync(address(target), address(source), bytes, cudaMemcpyDeviceToDevice,
                        stream_.get()),
        "copying on the device");
}

// The driver knows the way: directly where one card reaches the other, else through the host.
void CudaQueue::copy_peer(bp_arg source, bp_arg target, std::uint64_t bytes) {
  refuse_while_recording("a copy from another card");
  const CurrentDevice scope(ordinal_);
  const int peer = ordinal_of(source);
  reach_peer(ordinal_, peer);
  check(cudaMemcpyPeerAsync(checked_pointer(target, bytes, "copy"), ordinal_,
                            checked_pointer(source, bytes, "copy"), peer, bytes, stream_.get()),
        "copying from another card");
}

void CudaQueue::upload_pinned(bp_arg target, const void* source, std::uint64_t bytes) {
  refuse_while_recording("an upload");
  const CurrentDevice scope(ordinal_);
  check(cudaMemcpyAsync(checked_pointer(target, bytes, "upload"), source, bytes,
                        cudaMemcpyHostToDevice, stream_.get()),
        "uploading from pinned memory");
}

void CudaQueue::run(plugin::Plan& plan, const bp_run& run) {
  if (recorder_ != nullptr) {
    recorder_->run(*this, plan, run);
  } else {
    plan.run(*this, run);
  }
}

void CudaQueue::begin_sequence() {
  refuse_while_recording("a second sequence");
  const CurrentDevice scope(ordinal_);
  recorder_ = std::make_unique<Recorder>(stream_.get());
}

std::unique_ptr<plugin::Sequence> CudaQueue::end_sequence() {
  if (recorder_ == nullptr) {
    throw plugin::invalid("cuda: no sequence is being recorded on the queue; begin one");
  }
  const std::unique_ptr<Recorder> recorder = std::move(recorder_);
  const CurrentDevice scope(ordinal_);
  GraphHandle graph = recorder->finish();
  return std::make_unique<CudaSequence>(*this, std::move(graph), recorder->take_runs());
}

void CudaQueue::synchronize() {
  refuse_while_recording("a wait");
  const CurrentDevice scope(ordinal_);
  check(cudaStreamSynchronize(stream_.get()), "waiting for a queue");
  staging_.finish();
  Fault fault;
  std::memcpy(&fault, mirror_.get(), sizeof fault);
  last_ = {sizeof last_, fault.code, fault.sequence, fault.index, fault.value, fault.limit};
}

bool CudaQueue::idle() {
  refuse_while_recording("a question");
  const CurrentDevice scope(ordinal_);
  const cudaError_t code = cudaStreamQuery(stream_.get());
  if (code == cudaErrorNotReady) {
    cudaGetLastError();  // an answer, not an error
    return false;
  }
  check(code, "asking whether a queue is idle");
  return true;
}

bp_error_record CudaQueue::error(bool clear) {
  const bp_error_record now = last_;
  if (clear && now.fault != BP_FAULT_NONE) {
    refuse_while_recording("clearing the error record");
    const CurrentDevice scope(ordinal_);
    clear_record();
    last_ = no_fault;
  }
  return now;
}

}  // namespace backplane::cuda
