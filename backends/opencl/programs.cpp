// From a kernel's number to a kernel object, by way of the cache and the driver's compiler.
#include "programs.hpp"

#include <algorithm>
#include <bit>

#include "card/queue.hpp"
#include "kernels.hpp"
#include "platform.hpp"

namespace backplane::opencl {
namespace {

// The first line that tells what is wrong; logs may be pages long.
std::string first_error(const std::string& log) {
  std::string first;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.find("error") != std::string_view::npos) return std::string(line);
    if (first.empty()) first = line;
  }
  return first.empty() ? "the driver gives no reason" : first;
}

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  cl().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  cl().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(std::min(log.size(), log.find('\0')));
  return log;
}

// Empty where the driver doesn't give it.
std::string binary_of(cl_program program) {
  std::size_t bytes = 0;
  if (cl().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) !=
          CL_SUCCESS ||
      bytes == 0) {
    return {};
  }
  std::string binary(bytes, '\0');
  auto* memory = reinterpret_cast<unsigned char*>(binary.data());
  const cl_int code =
      cl().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof memory, &memory, nullptr);
  return code == CL_SUCCESS ? binary : std::string();
}

// What is correctly rounded everywhere else.
std::string division_option(cl_device_id device) {
  const auto config = value_of<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG);
  return (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0
             ? " -cl-fp32-correctly-rounded-divide-sqrt"
             : "";
}

i64 lanes_of(cl_device_id device) {
  return value_of<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT) >= 16 ? 16 : 8;
}

}  // namespace

Programs::Programs(cl_context context, cl_device_id device, Family family)
    : context_(context),
      device_(device),
      family_(family),
      device_name_(text_of(device, CL_DEVICE_NAME)),
      compute_units_(value_of<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS)),
      lanes_(lanes_of(device)),
      options_("-cl-std=CL1.2 -DLANES=" + std::to_string(lanes_) + division_option(device)),
      key_(device_name_ + '\n' + text_of(device, CL_DEVICE_VERSION) + '\n' +
           text_of(device, CL_DRIVER_VERSION) + '\n') {}

std::uint32_t Programs::kernel_count() {
  return opencl::kernel_count;
}

std::string Programs::name_of(std::uint32_t number) {
  return kernel_name(number);
}

void Programs::set_family(Family family) {
  const std::lock_guard lock(mutex_);
  if (family != family_ && !programs_.empty()) {
    throw plugin::invalid(
        "opencl: the family of kernels can't change any more; set it before the "
        "device's first operation");
  }
  family_ = family;
}

// A CPU runs a group as a loop, which vectorises best where a group is one work-item.
std::size_t Programs::largest_group() const {
  if (family_ == Family::cpu) return 1;
  return std::min<std::size_t>(
      GROUP, std::bit_floor(value_of<std::size_t>(device_, CL_DEVICE_MAX_WORK_GROUP_SIZE)));
}

std::size_t Programs::most_groups() const {
  if (family_ != Family::cpu) return card::most_groups;
  return std::size_t{16} * compute_units_;
}

Program Programs::load(const std::string& binary, const std::string& options) const {
  const std::size_t bytes = binary.size();
  const auto* memory = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int code = CL_SUCCESS;
  Program loaded(
      cl().clCreateProgramWithBinary(context_, 1, &device_, &bytes, &memory, nullptr, &code));
  if (code != CL_SUCCESS) return nullptr;
  code = cl().clBuildProgram(loaded.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  return code == CL_SUCCESS ? std::move(loaded) : nullptr;
}

Program Programs::build(const Text& text, const std::string& source, const std::string& options) {
  if (!told_) {
    told_ = true;
    plugin::host()->log(1, ("Compiling kernels for " + device_name_ + " (first run)").c_str());
  }
  const char* start = source.data();
  const std::size_t bytes = source.size();
  cl_int code = CL_SUCCESS;
  Program built(cl().clCreateProgramWithSource(context_, 1, &start, &bytes, &code));
  check(code, "handing a text to the compiler");
  code = cl().clBuildProgram(built.get(), 1, &device_, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) return built;
  const std::string log = build_log(built.get(), device_);
  throw failure(code, "compiling " + std::string(text.name) + " for " + device_name_ + ": " +
                          first_error(log));
}

cl_program Programs::program_of(const Text& text, std::size_t group) {
  Program& kept = programs_[{std::string(text.name), group}];
  if (kept != nullptr) return kept.get();
  const std::string options = options_ + " -DGROUP=" + std::to_string(group);
  const std::string source = expand(text), key = key_ + options + '\n' + source;
  if (const auto binary = cache_.load(key)) kept = load(*binary, options);
  if (kept != nullptr) return kept.get();
  kept = build(text, source, options);
  if (const std::string binary = binary_of(kept.get()); !binary.empty()) cache_.store(key, binary);
  return kept.get();
}

// A kernel may take fewer work-items than its device; then its text is compiled for fewer.
Compiled Programs::make_kernel(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const std::string name = name_of(number);
  const Text* text = text_of_kernel(name);
  if (text == nullptr) throw plugin::Failure(BP_FAILED, "opencl: no text has a kernel " + name);
  for (std::size_t group = largest_group();;) {
    cl_int code = CL_SUCCESS;
    KernelHandle made(
        cl().clCreateKernel(program_of(*text, group), ("kernel_" + name).c_str(), &code));
    if (code != CL_SUCCESS) throw failure(code, "making the kernel " + name);
    std::size_t most = 0;
    check(cl().clGetKernelWorkGroupInfo(made.get(), device_, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                        &most, nullptr),
          "asking how many work-items a kernel takes");
    if (most >= group) return {std::move(made), group};
    if (most == 0) {
      throw plugin::unsupported("opencl: " + device_name_ + " takes no work-item of " + name);
    }
    group = std::bit_floor(most);
  }
}

}  // namespace backplane::opencl
