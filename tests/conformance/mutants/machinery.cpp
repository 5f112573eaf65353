// Mutants of what is no operation: waits, order, memory around and between tensors, errors.
#include "breaks.hpp"

namespace mutants {

namespace {

void forget_offsets(Run& run) {
  for (bp_arg& input : run.inputs) input.offset = 0;
}

void forget_strides(bp_plan_request& request) {
  for (std::uint32_t i = 0; i < request.input_count; ++i) {
    bp_tensor_desc& desc = request.inputs[i];
    std::int64_t stride = 1;
    for (std::uint32_t axis = desc.rank; axis-- > 0; stride *= desc.dims[axis]) {
      desc.strides[axis] = stride;
    }
  }
}

void forget_to_add(bp_plan_request& request) {
  request.adds_to = 0;
}

void keep_first_input(bp_plan_request& request) {
  if (request.prepares != 0) request.prepares |= 1;
}

void clear_outputs(Run& run) {
  if (!is<op::Relu>(run)) return;
  edit_elements(run, 0, [](std::span<double> y) { std::ranges::fill(y, 0); });
}

template <Outside where>
void write_outside(const Run& run) {
  if (is<op::Relu>(run)) overwrite(run, 0, where);
}

void scale_input(const Run& run) {
  if (is<op::Matmul>(run)) edit_input(run, 0, each<[](double x) { return 2 * x; }>);
}

// As sums whose order is up to chance do.
void drift(const Run& run) {
  static int runs = 0;
  if (is<op::Mul>(run) && ++runs % 2 == 0) {
    edit_elements(run, 0, each<[](double y) { return y * (1 + 0x1p-23); }>);
  }
}

constexpr Mutant table[] = {
    {.name = "event_wait",
     .breaks = "a stream doesn't wait for an event",
     .filter = "machinery(*",
     .asynchronous = true,
     .slip = Slip::event_wait},
    {.name = "event_synchronize",
     .breaks = "the host doesn't wait for an event",
     .filter = "machinery(*",
     .asynchronous = true,
     .slip = Slip::event_synchronize},
    {.name = "upload_order",
     .breaks = "an upload is on a queue of its own",
     .filter = "relu(*contiguous",
     .asynchronous = true,
     .slip = Slip::upload_order},
    {.name = "download_order",
     .breaks = "a download doesn't wait for the work before it",
     .filter = "relu(*contiguous",
     .asynchronous = true,
     .slip = Slip::download_order},
    {.name = "run_order",
     .breaks = "every other run is on a queue of its own",
     .filter = "machinery(*",
     .asynchronous = true,
     .slip = Slip::run_order},
    {.name = "offsets",
     .breaks = "an input is read from the start of its buffer",
     .filter = "relu(*sliced",
     .before_run = forget_offsets},
    {.name = "strides",
     .breaks = "an input is read as if it were row-major",
     .filter = "relu(*transposed",
     .change_request = forget_strides},
    {.name = "adds_to",
     .breaks = "a result is written where it should be added",
     .filter = "matmul(*adds",
     .change_request = forget_to_add},
    {.name = "preparation",
     .breaks = "an input that changes is prepared with those that are kept",
     .filter = "matmul*prepared)*",
     .change_request = keep_first_input},
    {.name = "aliasing",
     .breaks = "an output is cleared before the input in the same memory is read",
     .filter = "relu(*in_place",
     .before_run = clear_outputs},
    {.name = "write_behind",
     .breaks = "relu writes one element behind its output",
     .filter = "relu(*contiguous",
     .after_run = write_outside<Outside::behind>},
    {.name = "write_before",
     .breaks = "relu writes one element before its output",
     .filter = "relu(*contiguous",
     .after_run = write_outside<Outside::before>},
    {.name = "write_between",
     .breaks = "relu writes between the elements of its output",
     .filter = "relu(*stepped",
     .after_run = write_outside<Outside::between>},
    {.name = "input_changed",
     .breaks = "matmul scales its input",
     .filter = "matmul(*contiguous",
     .after_run = scale_input},
    {.name = "other_bits",
     .breaks = "every other run gives other bits",
     .filter = "mul(*contiguous",
     .after_run = drift},
    {.name = "labels_unchecked",
     .breaks = "a label out of range isn't reported",
     .filter = "machinery(*",
     .slip = Slip::error_record},
    {.name = "error_kept",
     .breaks = "an error is reported again by the next run",
     .filter = "machinery(*",
     .slip = Slip::error_clear},
};

}  // namespace

std::span<const Mutant> machinery_mutants() {
  return table;
}

}  // namespace mutants
