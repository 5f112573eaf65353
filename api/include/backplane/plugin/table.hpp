// Turns a back end written with backend.hpp into the C table of abi.h. Nobody calls this by name:
// BACKPLANE_BACKEND does.
#pragma once

#include <algorithm>
#include <exception>
#include <new>

#include "backplane/plugin/backend.hpp"

namespace backplane::plugin {

inline std::string& last_error() {
  thread_local std::string text;
  return text;
}

// The host's table, as the entry received it.
inline const bp_host*& host() {
  static const bp_host* table = nullptr;
  return table;
}

// Runs `body` so that nothing it throws crosses the border.
template <class Body>
bp_status guarded(Body&& body) noexcept {
  const auto keep = [](const char* text) {
    try {
      last_error() = text;
    } catch (...) {  // no memory for the text; the status says enough
    }
  };
  try {
    body();
    return BP_OK;
  } catch (const Failure& e) {
    keep(e.what());
    return e.status;
  } catch (const std::bad_alloc&) {
    keep("the host has no memory left");
    return BP_OUT_OF_MEMORY;
  } catch (const std::exception& e) {
    keep(e.what());
    return BP_FAILED;
  } catch (...) {
    keep("an exception that is no std::exception");
    return BP_FAILED;
  }
}

// The opaque handles are pointers to the kit's classes.
inline Device& get(bp_device* d) { return *reinterpret_cast<Device*>(d); }
inline Buffer& get(bp_buffer* b) { return *reinterpret_cast<Buffer*>(b); }
inline Queue& get(bp_queue* q) { return *reinterpret_cast<Queue*>(q); }
inline Event& get(bp_event* e) { return *reinterpret_cast<Event*>(e); }
inline Sequence& get(bp_sequence* s) { return *reinterpret_cast<Sequence*>(s); }
inline std::shared_ptr<Plan>& get(bp_plan* p) { return *reinterpret_cast<std::shared_ptr<Plan>*>(p); }
inline bp_buffer* handle(Buffer* b) { return reinterpret_cast<bp_buffer*>(b); }

inline void copy_text(char* target, std::size_t size, const std::string& text) {
  if (size == 0) return;
  const std::size_t count = std::min(size - 1, text.size());
  std::memcpy(target, text.data(), count);
  target[count] = '\0';
}

template <class B>
bp_status diagnose(char* reason, std::uint64_t reason_size, char* repair,
                   std::uint64_t repair_size) {
  return guarded([&] {
    const Diagnosis found = B::diagnose();
    copy_text(reason, reason_size, found.reason);
    copy_text(repair, repair_size, found.repair);
    if (!found.reason.empty()) throw Failure(BP_NOT_FOUND, found.reason);
  });
}

inline bp_status create_plan(bp_device* device, bp_plan_request* wire, bp_plan** plan) {
  return guarded([&] {
    Request request(*wire);
    auto made = std::shared_ptr<Plan>(get(device).create_plan(wire->op, request));
    if (made == nullptr) throw Failure(BP_FAILED, "the back end returned a null pointer");
    wire->workspace_bytes = request.workspace_bytes;
    wire->prepared_bytes = request.prepared_bytes;
    copy_text(wire->implementation, sizeof wire->implementation, request.implementation);
    *plan = reinterpret_cast<bp_plan*>(new std::shared_ptr<Plan>(std::move(made)));
  });
}

inline bp_status native_handle(std::uint32_t kind, void* object, void** native) {
  return guarded([&] {
    switch (kind) {
      case BP_NATIVE_DEVICE: *native = get(static_cast<bp_device*>(object)).native(); break;
      case BP_NATIVE_QUEUE: *native = get(static_cast<bp_queue*>(object)).native(); break;
      case BP_NATIVE_BUFFER: *native = get(static_cast<bp_buffer*>(object)).native(); break;
      case BP_NATIVE_EVENT: *native = get(static_cast<bp_event*>(object)).native(); break;
      default: throw Failure(BP_NOT_FOUND, "no native handle of kind " + std::to_string(kind));
    }
    if (*native == nullptr) throw Failure(BP_NOT_FOUND, "this back end has no such native handle");
  });
}

// Hands a new object over as an opaque handle.
template <class Handle, class Made>
void release_to(Handle** handle, std::unique_ptr<Made> made) {
  if (made == nullptr) throw Failure(BP_FAILED, "the back end returned a null pointer");
  *handle = reinterpret_cast<Handle*>(made.release());
}

inline void fill_devices(bp_backend& t) {
  t.device_close = [](bp_device* d) { delete &get(d); };
  t.device_info = [](bp_device* d, bp_device_info* info) {
    return guarded([&] { get(d).info(*info); });
  };
  t.memory_info = [](bp_device* d, std::uint64_t* free_bytes, std::uint64_t* total_bytes) {
    return guarded([&] { get(d).memory_info(*free_bytes, *total_bytes); });
  };
  t.layout_info = [](bp_device* d, const bp_tensor_desc* desc, bp_layout_info* info) {
    return guarded([&] { get(d).layout_info(*desc, *info); });
  };
  t.set_option = [](bp_device* d, const char* key, const char* value) {
    return guarded([&] { get(d).set_option(key, value); });
  };
}

inline void fill_buffers(bp_backend& t) {
  t.buffer_alloc = [](bp_device* d, std::uint64_t bytes, bp_buffer** b) {
    return guarded([&] { release_to(b, get(d).allocate(bytes)); });
  };
  t.buffer_wrap = [](bp_device* d, void* memory, std::uint64_t bytes, bp_buffer** b) {
    return guarded([&] { release_to(b, get(d).wrap(memory, bytes)); });
  };
  t.buffer_free = [](bp_buffer* b) { delete &get(b); };
}

inline void fill_queues(bp_backend& t) {
  t.upload = [](bp_queue* q, bp_arg target, const void* source, std::uint64_t bytes) {
    return guarded([&] { get(q).upload(target, source, bytes); });
  };
  t.download = [](bp_queue* q, bp_arg source, void* target, std::uint64_t bytes) {
    return guarded([&] { get(q).download(source, target, bytes); });
  };
  t.copy = [](bp_queue* q, bp_arg source, bp_arg target, std::uint64_t bytes) {
    return guarded([&] { get(q).copy(source, target, bytes); });
  };
  t.queue_create = [](bp_device* d, bp_queue** q) {
    return guarded([&] { release_to(q, get(d).create_queue()); });
  };
  t.queue_destroy = [](bp_queue* q) { delete &get(q); };
  t.queue_synchronize = [](bp_queue* q) { return guarded([&] { get(q).synchronize(); }); };
  t.queue_query = [](bp_queue* q, std::uint32_t* idle) {
    return guarded([&] { *idle = get(q).idle() ? 1 : 0; });
  };
  t.queue_error = [](bp_queue* q, std::uint32_t clear, bp_error_record* record) {
    return guarded([&] { *record = get(q).error(clear != 0); });
  };
}

inline void fill_events(bp_backend& t) {
  t.event_create = [](bp_device* d, bp_event** e) {
    return guarded([&] { release_to(e, get(d).create_event()); });
  };
  t.event_destroy = [](bp_event* e) { delete &get(e); };
  t.event_record = [](bp_event* e, bp_queue* q) { return guarded([&] { get(e).record(get(q)); }); };
  t.event_wait = [](bp_event* e, bp_queue* q) { return guarded([&] { get(e).wait(get(q)); }); };
  t.event_query = [](bp_event* e, std::uint32_t* done) {
    return guarded([&] { *done = get(e).done() ? 1 : 0; });
  };
  t.event_synchronize = [](bp_event* e) { return guarded([&] { get(e).synchronize(); }); };
  t.event_elapsed = [](bp_event* first, bp_event* last, double* seconds) {
    return guarded([&] { *seconds = get(first).seconds_until(get(last)); });
  };
}

inline void fill_sequences(bp_backend& t) {
  t.sequence_begin = [](bp_queue* q) { return guarded([&] { get(q).begin_sequence(); }); };
  t.sequence_end = [](bp_queue* q, bp_sequence** s) {
    return guarded([&] { release_to(s, get(q).end_sequence()); });
  };
  t.sequence_run = [](bp_sequence* s, bp_queue* q, const bp_scalars* scalars, std::uint32_t count) {
    return guarded([&] { get(s).run(get(q), {scalars, count}); });
  };
  t.sequence_destroy = [](bp_sequence* s) { delete &get(s); };
}

template <class B>
void fill_pinned_memory(bp_backend& t) {
  t.host_alloc = [](bp_device* d, std::uint64_t bytes, void** memory) {
    return guarded([&] { *memory = get(d).allocate_pinned(bytes); });
  };
  t.host_free = B::free_pinned;
  t.upload_pinned = [](bp_queue* q, bp_arg target, const void* source, std::uint64_t bytes) {
    return guarded([&] { get(q).upload_pinned(target, source, bytes); });
  };
}

template <class B>
void fill_optional(bp_backend& t) {
  if constexpr (requires { B::offers; }) {
    if constexpr (B::offers.peer_copies) {
      t.copy_peer = [](bp_queue* q, bp_arg source, bp_arg target, std::uint64_t bytes) {
        return guarded([&] { get(q).copy_peer(source, target, bytes); });
      };
    }
    if constexpr (B::offers.monitor) {
      t.device_monitor = [](bp_device* d, bp_monitor* monitor) {
        return guarded([&] { get(d).monitor(*monitor); });
      };
    }
    if constexpr (B::offers.pinned_memory) fill_pinned_memory<B>(t);
    if constexpr (B::offers.sequences) fill_sequences(t);
    if constexpr (B::offers.preparation) {
      t.plan_prepare = [](bp_plan* p, bp_queue* q, const bp_run* run) {
        return guarded([&] { get(q).prepare(*get(p), *run); });
      };
    }
    if constexpr (B::offers.tiled_runs) {
      t.run_tiled = [](bp_queue* q, const bp_tiled_run* run) {
        return guarded([&] { get(q).run_tiled(*run); });
      };
    }
  }
}

template <class B>
const bp_backend* make_table(const bp_host* from) {
  host() = from;
  static const bp_backend table = [] {
    bp_backend t{};
    t.struct_size = sizeof t;
    t.abi_major = BP_ABI_MAJOR;
    t.abi_minor = BP_ABI_MINOR;
    t.name = B::name;
    t.version = B::version;
    t.diagnose = diagnose<B>;
    t.device_count = [](std::uint32_t* count) { return guarded([&] { *count = B::device_count(); }); };
    t.device_open = [](std::uint32_t index, bp_device** d) {
      return guarded([&] { release_to(d, B::open(index)); });
    };
    fill_devices(t);
    fill_buffers(t);
    fill_queues(t);
    fill_events(t);
    t.native_handle = native_handle;
    t.plan_create = create_plan;
    t.plan_run = [](bp_plan* p, bp_queue* q, const bp_run* run) {
      return guarded([&] { get(q).run(*get(p), *run); });
    };
    t.plan_destroy = [](bp_plan* p) { delete &get(p); };
    t.last_error = [] { return last_error().c_str(); };
    fill_optional<B>(t);
    return t;
  }();
  return &table;
}

}  // namespace backplane::plugin

#define BACKPLANE_BACKEND(Backend)                                                              \
  extern "C" __attribute__((visibility("default"))) const bp_backend* backplane_backend(        \
      const bp_host* host) {                                                                    \
    return ::backplane::plugin::make_table<Backend>(host);                                      \
  }
