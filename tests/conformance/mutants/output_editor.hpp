// Changes a run's outputs after the fact, in the order of the queue.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "mutant.hpp"

namespace mutants {

// Waits for the queue, hands the elements of a strided f32 output to `edit`, and writes them back.
// Other types and private layouts stay as they are.
using Edit = std::function<void(std::span<float*> elements)>;
void edit_elements(const Run& run, std::size_t output, const Edit& edit);

// Overwrites `bytes` behind the last element of a strided output; nothing if it has no element.
void overwrite_behind(const Run& run, std::size_t output, std::size_t bytes);

}  // namespace mutants
