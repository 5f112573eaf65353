// The texts of kernels/, embedded in the plug-in: an OpenCL driver compiles them where it runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace backplane::opencl {

struct Text {
  std::string_view name, content;  // a file's path from kernels/
};

// Made by embed.cmake.
[[nodiscard]] std::span<const Text> texts();

// The .cl file in which a kernel is defined: its name stands there after an opening bracket, as in
// KERNEL(relu, ...). Null: there is none.
[[nodiscard]] const Text* text_of_kernel(std::string_view kernel);

// The text with its includes in their places; lines keep their numbers and files for messages.
[[nodiscard]] std::string expand(const Text& text);

}  // namespace backplane::opencl
