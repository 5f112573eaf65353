// The kernels of one device: compiled when first asked for, or taken from the cache on disk.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "arguments.h"
#include "family.hpp"
#include "handles.hpp"
#include "program_cache.hpp"
#include "texts.hpp"

namespace backplane::opencl {

// A kernel object, and the work-items of a group that it was compiled for.
struct Compiled {
  KernelHandle handle;
  std::size_t group = 0;
};

class Programs {
 public:
  // `device` belongs to `context`, which must outlive the programs.
  Programs(cl_context context, cl_device_id device, Family family);

  // By a number of kernels.hpp. Each call makes a new object, for one queue. May take seconds.
  [[nodiscard]] Compiled make_kernel(std::uint32_t number);

  [[nodiscard]] static std::uint32_t kernel_count();
  [[nodiscard]] static std::string name_of(std::uint32_t number);

  [[nodiscard]] cl_device_id device() const { return device_; }
  [[nodiscard]] Family family() const { return family_; }
  // Invalid once a kernel was made: plans and queues have settled on the family by then.
  void set_family(Family family);
  [[nodiscard]] i64 compute_units() const { return compute_units_; }
  // Floats in a vector of the device.
  [[nodiscard]] i64 lanes() const { return lanes_; }
  // Kernels loop over their work: more groups than this only cost time.
  [[nodiscard]] std::size_t most_groups() const;

 private:
  struct Key {
    std::string text;
    std::size_t group;
    auto operator<=>(const Key&) const = default;
  };
  cl_program program_of(const Text& text, std::size_t group);
  [[nodiscard]] Program load(const std::string& binary, const std::string& options) const;
  [[nodiscard]] Program build(const Text& text, const std::string& source,
                              const std::string& options);
  [[nodiscard]] std::size_t largest_group() const;

  cl_context context_;
  cl_device_id device_;
  Family family_;
  std::string device_name_;
  i64 compute_units_, lanes_;
  std::string options_, key_;  // key: of everything but text and group
  ProgramCache cache_{ProgramCache::default_folder()};
  std::mutex mutex_;
  std::map<Key, Program> programs_;
  bool told_ = false;
};

}  // namespace backplane::opencl
