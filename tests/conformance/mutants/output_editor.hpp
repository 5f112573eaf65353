// Reads and changes the tensors of a run, in the order of its queue.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "mutant.hpp"

namespace mutants {

// The elements of an input, row-major. All of these wait for the queue; they take strided tensors
// of every type but f16, and see others as empty.
[[nodiscard]] std::vector<double> read_input(const Run& run, std::size_t input);

// Hands the elements of a tensor to `edit` and writes them back.
using Edit = std::function<void(std::span<double> elements)>;
void edit_elements(const Run& run, std::size_t output, const Edit& edit);
void edit_input(const Run& run, std::size_t input, const Edit& edit);

// Overwrites memory of an output that isn't its elements'; nothing if there is no such place.
enum class Outside { before, between, behind };
void overwrite(const Run& run, std::size_t output, Outside where);

}  // namespace mutants
