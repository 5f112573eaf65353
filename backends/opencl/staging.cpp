// Piece by piece through the ring.
#include "staging.hpp"

#include <algorithm>
#include <cstring>

namespace backplane::opencl {

Staging::~Staging() {
  for (Slot& slot : slots_) {
    if (slot.memory == nullptr) continue;
    cl().clEnqueueUnmapMemObject(queue_, slot.pinned.get(), slot.memory, 0, nullptr, nullptr);
  }
  cl().clFinish(queue_);
}

void Staging::open(Slot& slot) const {
  cl_int code = CL_SUCCESS;
  slot.pinned.reset(cl().clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                        slot_bytes, nullptr, &code));
  check(code, "allocating memory for uploads");
  void* mapped = cl().clEnqueueMapBuffer(queue_, slot.pinned.get(), CL_TRUE, CL_MAP_WRITE, 0,
                                         slot_bytes, 0, nullptr, nullptr, &code);
  check(code, "mapping memory for uploads");
  slot.memory = static_cast<char*>(mapped);
}

Staging::Slot& Staging::take() {
  Slot& slot = slots_[next_];
  next_ = (next_ + 1) % slots_.size();
  if (slot.memory == nullptr) open(slot);
  if (slot.passed != nullptr) {
    const cl_event passed = slot.passed.get();
    check(cl().clWaitForEvents(1, &passed), "waiting for an earlier upload");
  }
  return slot;
}

void Staging::upload(const card::Memory& target, const char* source, std::size_t bytes) {
  auto offset = static_cast<std::size_t>(target.offset);
  while (bytes > 0) {
    const std::size_t piece = std::min(bytes, slot_bytes);
    Slot& slot = take();
    std::memcpy(slot.memory, source, piece);
    cl_event passed = nullptr;
    check(cl().clEnqueueWriteBuffer(queue_, static_cast<cl_mem>(target.handle), CL_FALSE, offset,
                                    piece, slot.memory, 0, nullptr, &passed),
          "uploading");
    slot.passed.reset(passed);
    offset += piece;
    source += piece;
    bytes -= piece;
  }
}

}  // namespace backplane::opencl
