// Reads and changes the tensors of a run, in the order of its queue.
#include "output_editor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace mutants {

namespace {

void check(bp_status status, const Run& run) {
  if (status != BP_OK) throw std::runtime_error(run.target.last_error());
}

// Element positions of a strided tensor, row-major.
std::vector<std::size_t> positions(const bp_tensor_desc& desc) {
  std::vector<std::size_t> result{0};
  for (std::uint32_t axis = 0; axis < desc.rank; ++axis) {
    std::vector<std::size_t> longer;
    for (const std::size_t start : result) {
      for (std::int64_t i = 0; i < desc.dims[axis]; ++i) {
        longer.push_back(start + static_cast<std::size_t>(i * desc.strides[axis]));
      }
    }
    result = std::move(longer);
  }
  return result;
}

// bfloat16, whose values are the upper halves of floats.
struct Brain {
  std::uint16_t bits;
  explicit Brain(double value) {
    const auto narrow = static_cast<float>(value);
    std::uint32_t wide = 0;
    std::memcpy(&wide, &narrow, sizeof wide);
    bits = static_cast<std::uint16_t>(wide >> 16);
  }
  explicit operator double() const {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  }
};

// Calls `use` with a null pointer to the C++ type of the elements; false: there is none.
template <class Use>
bool with_type(const bp_tensor_desc& desc, const Use& use) {
  if (desc.layout != BP_LAYOUT_STRIDED) return false;
  switch (desc.dtype) {
    case BP_F32:
      use(static_cast<float*>(nullptr));
      return true;
    case BP_F64:
      use(static_cast<double*>(nullptr));
      return true;
    case BP_BF16:
      use(static_cast<Brain*>(nullptr));
      return true;
    case BP_I8:
      use(static_cast<std::int8_t*>(nullptr));
      return true;
    case BP_U8:
      use(static_cast<std::uint8_t*>(nullptr));
      return true;
    case BP_U16:
      use(static_cast<std::uint16_t*>(nullptr));
      return true;
    case BP_I32:
      use(static_cast<std::int32_t*>(nullptr));
      return true;
    case BP_I64:
      use(static_cast<std::int64_t*>(nullptr));
      return true;
    default:
      return false;
  }
}

std::vector<char> download(const Run& run, bp_arg from, std::size_t bytes) {
  std::vector<char> memory(bytes);
  check(run.target.download(run.queue, from, memory.data(), bytes), run);
  check(run.target.queue_synchronize(run.queue), run);
  return memory;
}

template <class T>
T load(const std::vector<char>& memory, std::size_t at) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), memory.data() + at * sizeof(T), sizeof(T));
  return std::bit_cast<T>(bytes);
}

void edit_tensor(const Run& run, const bp_tensor_desc& desc, bp_arg where, const Edit& edit) {
  const std::vector<std::size_t> at = positions(desc);
  if (at.empty()) return;
  with_type(desc, [&]<class T>(T*) {
    const std::size_t bytes = (std::ranges::max(at) + 1) * sizeof(T);
    std::vector<char> memory = download(run, where, bytes);
    std::vector<double> elements;
    for (const std::size_t i : at) elements.push_back(static_cast<double>(load<T>(memory, i)));
    edit(elements);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const T element(static_cast<T>(elements[i]));
      std::memcpy(memory.data() + at[i] * sizeof(T), &element, sizeof(T));
    }
    check(run.target.upload(run.queue, where, memory.data(), bytes), run);
  });
}

}  // namespace

std::vector<double> read_input(const Run& run, std::size_t input) {
  const bp_tensor_desc& desc = run.plan.inputs[input];
  const std::vector<std::size_t> at = positions(desc);
  std::vector<double> elements;
  if (at.empty()) return elements;
  with_type(desc, [&]<class T>(T*) {
    const std::vector<char> memory =
        download(run, run.inputs[input], (std::ranges::max(at) + 1) * sizeof(T));
    for (const std::size_t i : at) elements.push_back(static_cast<double>(load<T>(memory, i)));
  });
  return elements;
}

void edit_elements(const Run& run, std::size_t output, const Edit& edit) {
  edit_tensor(run, run.plan.outputs[output], run.outputs[output], edit);
}

void edit_input(const Run& run, std::size_t input, const Edit& edit) {
  edit_tensor(run, run.plan.inputs[input], run.inputs[input], edit);
}

void overwrite(const Run& run, std::size_t output, Outside where) {
  std::vector<std::size_t> at = positions(run.plan.outputs[output]);
  if (at.empty()) return;
  std::ranges::sort(at);
  const auto gap = std::ranges::adjacent_find(
      at, [](std::size_t left, std::size_t right) { return right > left + 1; });
  if (where == Outside::between && gap == at.end()) return;
  with_type(run.plan.outputs[output], [&]<class T>(T*) {
    const T zero(0);
    bp_arg place = run.outputs[output];
    if (where == Outside::before) place.offset -= sizeof zero;
    if (where == Outside::between) place.offset += (*gap + 1) * sizeof zero;
    if (where == Outside::behind) place.offset += (at.back() + 1) * sizeof zero;
    check(run.target.upload(run.queue, place, &zero, sizeof zero), run);
  });
}

}  // namespace mutants
