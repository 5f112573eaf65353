// What the tests of the core share: the reference device, errors as text, and child processes.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "backplane/device.hpp"
#include "backplane/functional.hpp"
#include "backplane/tensor.hpp"

// So that a failed comparison shows the elements.
template <class T>
struct doctest::StringMaker<std::vector<T>> {
  static String convert(const std::vector<T>& values) {
    String text = "{";
    for (const T& value : values) text += (text.size() > 1 ? ", " : "") + toString(value);
    return text + "}";
  }
};

namespace backplane::test {

// As in "invalid_argument: add: ..."; "no error" when nothing is thrown.
template <class Body>
[[nodiscard]] std::string error_of(Body&& body) {
  try {
    static_cast<void>(body());
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
  return "no error";
}

[[nodiscard]] inline Device reference() {
  return device("reference:0");
}

// Whether its queues put work off.
[[nodiscard]] inline bool is_delayed() {
  return std::getenv("BACKPLANE_REFERENCE_ASYNC") != nullptr;
}

// Options of a tensor on the reference.
[[nodiscard]] inline TensorOptions on_reference(DType dtype = DType::f32) {
  return {.dtype = dtype, .device = reference()};
}

// A tensor of which only shape and type matter.
[[nodiscard]] inline Tensor of(const Shape& shape, DType type = DType::f32) {
  return zeros(shape, on_reference(type));
}

// 0, 1, 2 ... in f32.
[[nodiscard]] inline Tensor counting(const Shape& shape, Device device = reference()) {
  std::vector<float> values(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return tensor(values, shape, {.device = device});
}

[[nodiscard]] inline std::vector<float> values_of(const Tensor& x) {
  return x.to_vector<float>();
}

struct Finished {
  int status;
  std::string output;
};

// Runs one test case of this program, marked with doctest::skip(), in a process of its own.
// `environment` is as in "BACKPLANE_THREADS=3".
[[nodiscard]] inline Finished run_in_child(const std::string& test_case,
                                           const std::string& environment = "") {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "env " + environment + " '" + program + "' --no-skip --test-case='" + test_case + "' 2>&1";
  Finished finished{-1, ""};
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return finished;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    finished.output.append(part.data(), count);
  }
  finished.status = pclose(pipe);
  // A filter that matches nothing passes, too.
  if (finished.output.find(" 0 passed") != std::string::npos) finished.status = -1;
  return finished;
}

}  // namespace backplane::test
