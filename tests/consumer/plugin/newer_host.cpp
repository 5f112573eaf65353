// A program that is newer than a plug-in: parameters that the plug-in doesn't know are declined
// where they are set, and do no harm where they are zero.
#include <backplane/plugin/abi.h>
#include <dlfcn.h>
#include <backplane/plugin/ops.hpp>

#include <cstdio>
#include <cstring>

namespace {

bp_host host() {
  bp_host table{};
  table.struct_size = sizeof table;
  table.abi_major = BP_ABI_MAJOR;
  table.abi_minor = BP_ABI_MINOR;
  table.log = [](std::uint32_t, const char*) {};
  table.threads = [] { return 1u; };
  return table;
}

// relu on f32[4], with 8 bytes of parameters, where its struct has none.
bp_status plan_with(const bp_backend& backend, bp_device* device, std::uint64_t parameters,
                    bp_plan** plan) {
  bp_tensor_desc x{};
  x.dtype = BP_F32;
  x.rank = 1;
  x.dims[0] = 4;
  x.strides[0] = 1;
  bp_tensor_desc y = x;
  bp_plan_request request{};
  request.struct_size = sizeof request;
  request.op = {backplane::op::row_of<backplane::op::Relu>.id, sizeof parameters, &parameters,
                nullptr};
  request.inputs = &x;
  request.outputs = &y;
  request.input_count = request.output_count = 1;
  return backend.plan_create(device, &request, plan);
}

}  // namespace

int main(int argc, char** argv) {
  void* library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) return std::puts("usage: newer_host <plug-in>"), 2;
  const auto entry = reinterpret_cast<bp_entry>(dlsym(library, "backplane_backend"));
  static const bp_host table = host();
  const bp_backend* backend = entry(&table);
  bp_device* device = nullptr;
  if (backend->device_open(0, &device) != BP_OK) return std::puts("no device"), 1;
  bp_plan* plan = nullptr;
  if (plan_with(*backend, device, 0, &plan) != BP_OK) return std::puts("zeros are declined"), 1;
  backend->plan_destroy(plan);
  if (plan_with(*backend, device, 1, &plan) != BP_UNSUPPORTED) {
    return std::puts("an unknown parameter is not declined"), 1;
  }
  std::puts(backend->last_error());
  backend->device_close(device);
}
