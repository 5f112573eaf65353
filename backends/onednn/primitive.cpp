// Runs in flight take a set of memory objects from their primitive's pool and put it back.
#include "primitive.hpp"

#include <string>

#include "backplane/plugin/backend.hpp"

namespace backplane::onednn {

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::data_type memory_type(const bp_tensor_desc& desc) {
  using Type = dnnl::memory::data_type;
  return desc.dtype == BP_BF16 ? Type::bf16 : Type::f32;
}

dnnl::primitive_attr caller_owns_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

struct Primitive::Frame {
  explicit Frame(const std::vector<Slot>& slots) : stream(cpu_engine()) {
    memories.reserve(slots.size());
    for (const Slot& slot : slots) {
      memories.emplace_back();
      if (slot.desc.get_size() == 0) continue;  // oneDNN refuses arguments that it has no use for
      memories.back() = dnnl::memory(slot.desc, cpu_engine(), nullptr);
      arguments.push_back({slot.argument, memories.back().get()});
    }
  }

  dnnl::stream stream;
  std::vector<dnnl::memory> memories;  // one for each slot, empty where the slot is
  std::vector<dnnl_exec_arg_t> arguments;
};

struct Primitive::State {
  dnnl::primitive primitive;
  std::vector<Slot> slots;
  std::mutex mutex;
  std::vector<std::unique_ptr<Frame>> idle;
};

class Primitive::Borrowed {
 public:
  explicit Borrowed(State& state) : state_(state) {
    {
      const std::scoped_lock lock(state.mutex);
      if (!state.idle.empty()) {
        frame_ = std::move(state.idle.back());
        state.idle.pop_back();
      }
    }
    if (!frame_) frame_ = std::make_unique<Frame>(state.slots);
  }
  ~Borrowed() {
    const std::scoped_lock lock(state_.mutex);
    state_.idle.push_back(std::move(frame_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Frame* operator->() const { return frame_.get(); }

 private:
  State& state_;
  std::unique_ptr<Frame> frame_;
};

Primitive::Primitive(const dnnl::primitive& primitive, std::vector<Slot> slots)
    : state_(std::make_shared<State>()) {
  state_->primitive = primitive;
  state_->slots = std::move(slots);
}

void Primitive::execute(std::span<void* const> pointers) const {
  const Borrowed frame(*state_);
  dnnl_status_t status = dnnl_success;
  for (std::size_t i = 0; i < pointers.size() && status == dnnl_success; ++i) {
    const dnnl_memory_t memory = frame->memories[i].get(true);
    if (memory == nullptr) continue;
    status = dnnl_memory_set_data_handle_v2(memory, pointers[i], frame->stream.get());
  }
  if (status == dnnl_success) {
    status =
        dnnl_primitive_execute(state_->primitive.get(), frame->stream.get(),
                               static_cast<int>(frame->arguments.size()), frame->arguments.data());
  }
  if (status != dnnl_success) {
    throw plugin::Failure(BP_FAILED,
                          "oneDNN: a primitive failed with status " + std::to_string(status));
  }
}

Reorder::Reorder(const dnnl::memory::desc& src, const dnnl::memory::desc& dst)
    : needed_(src != dst) {
  if (!needed_) return;
  const dnnl::reorder::primitive_desc description(cpu_engine(), src, cpu_engine(), dst,
                                                  caller_owns_scratchpad());
  scratchpad_bytes_ = description.scratchpad_desc().get_size();
  primitive_ =
      Primitive(dnnl::reorder(description), {{DNNL_ARG_FROM, src},
                                             {DNNL_ARG_TO, dst},
                                             {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()}});
}

}  // namespace backplane::onednn
