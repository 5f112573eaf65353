// The border as bytes: a change here breaks plug-ins that are already built, so it fails to
// compile.
#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>
#include <type_traits>

#include "backplane/plugin/abi.h"
#include "backplane/plugin/ops.hpp"

using namespace backplane;

static_assert(BP_ABI_MAJOR == 0 && BP_ABI_MINOR == 3);

#define BP_FIELD(type, field, at) static_assert(offsetof(type, field) == (at))

static_assert(sizeof(bp_tensor_desc) == 144);
BP_FIELD(bp_tensor_desc, rank, 4);
BP_FIELD(bp_tensor_desc, dims, 8);
BP_FIELD(bp_tensor_desc, strides, 72);
BP_FIELD(bp_tensor_desc, layout, 136);
BP_FIELD(bp_tensor_desc, reserved, 140);

static_assert(sizeof(bp_arg) == 16);
BP_FIELD(bp_arg, offset, 8);

static_assert(sizeof(bp_device_info) == 352);
BP_FIELD(bp_device_info, kind, 4);
BP_FIELD(bp_device_info, memory_space, 8);
BP_FIELD(bp_device_info, compute_units, 12);
BP_FIELD(bp_device_info, memory_bytes, 16);
BP_FIELD(bp_device_info, alignment, 24);
BP_FIELD(bp_device_info, asynchronous, 28);
BP_FIELD(bp_device_info, name, 32);
BP_FIELD(bp_device_info, driver, 160);
BP_FIELD(bp_device_info, unique_id, 288);

static_assert(sizeof(bp_op) == 24);
BP_FIELD(bp_op, params, 8);
BP_FIELD(bp_op, name, 16);

static_assert(sizeof(bp_plan_request) == 152);
BP_FIELD(bp_plan_request, numerics, 4);
BP_FIELD(bp_plan_request, threads, 8);
BP_FIELD(bp_plan_request, adds_to, 12);
BP_FIELD(bp_plan_request, op, 16);
BP_FIELD(bp_plan_request, inputs, 40);
BP_FIELD(bp_plan_request, outputs, 48);
BP_FIELD(bp_plan_request, input_count, 56);
BP_FIELD(bp_plan_request, output_count, 60);
BP_FIELD(bp_plan_request, workspace_bytes, 64);
BP_FIELD(bp_plan_request, implementation, 72);
BP_FIELD(bp_plan_request, prepares, 136);
BP_FIELD(bp_plan_request, prepared_bytes, 144);

static_assert(sizeof(bp_run) == 80);
BP_FIELD(bp_run, inputs, 16);
BP_FIELD(bp_run, outputs, 24);
BP_FIELD(bp_run, scalars, 32);
BP_FIELD(bp_run, workspace, 40);
BP_FIELD(bp_run, sequence, 56);
BP_FIELD(bp_run, prepared, 64);

static_assert(sizeof(bp_tile_arg) == 32);
BP_FIELD(bp_tile_arg, stride, 16);
BP_FIELD(bp_tile_arg, place, 24);

static_assert(sizeof(bp_tile_step) == 64);
BP_FIELD(bp_tile_step, inputs, 8);
BP_FIELD(bp_tile_step, outputs, 16);
BP_FIELD(bp_tile_step, input_count, 24);
BP_FIELD(bp_tile_step, scalars, 32);
BP_FIELD(bp_tile_step, scalar_bytes, 40);
BP_FIELD(bp_tile_step, sample_at, 44);
BP_FIELD(bp_tile_step, prepared, 48);

static_assert(sizeof(bp_tile_sum) == 32);
BP_FIELD(bp_tile_sum, count, 8);
BP_FIELD(bp_tile_sum, target, 16);

static_assert(sizeof(bp_tiled_run) == 88);
BP_FIELD(bp_tiled_run, tiles, 4);
BP_FIELD(bp_tiled_run, tile_samples, 8);
BP_FIELD(bp_tiled_run, threads, 12);
BP_FIELD(bp_tiled_run, steps, 16);
BP_FIELD(bp_tiled_run, sums, 24);
BP_FIELD(bp_tiled_run, step_count, 32);
BP_FIELD(bp_tiled_run, locals, 40);
BP_FIELD(bp_tiled_run, local_bytes, 56);
BP_FIELD(bp_tiled_run, workspace, 64);
BP_FIELD(bp_tiled_run, sequence, 72);
BP_FIELD(bp_tiled_run, seconds, 80);

static_assert(sizeof(bp_error_record) == 40);
BP_FIELD(bp_error_record, sequence, 8);
BP_FIELD(bp_error_record, limit, 32);

static_assert(sizeof(bp_layout_info) == 80);
BP_FIELD(bp_layout_info, bytes, 8);
BP_FIELD(bp_layout_info, name, 16);

static_assert(sizeof(bp_monitor) == 48);
BP_FIELD(bp_monitor, utilization, 8);
BP_FIELD(bp_monitor, memory_clock, 40);

static_assert(sizeof(bp_scalars) == 16);
BP_FIELD(bp_scalars, bytes, 8);

static_assert(sizeof(bp_host) == 40);
BP_FIELD(bp_host, log, 8);
BP_FIELD(bp_host, threads, 32);

// The first four fields never move.
BP_FIELD(bp_backend, struct_size, 0);
BP_FIELD(bp_backend, abi_major, 4);
BP_FIELD(bp_backend, abi_minor, 6);
BP_FIELD(bp_backend, name, 8);
BP_FIELD(bp_backend, version, 16);
BP_FIELD(bp_backend, diagnose, 24);
BP_FIELD(bp_backend, last_error, 264);
BP_FIELD(bp_backend, copy_peer, 272);
BP_FIELD(bp_backend, device_monitor, 280);
BP_FIELD(bp_backend, host_alloc, 288);
BP_FIELD(bp_backend, sequence_begin, 312);
BP_FIELD(bp_backend, sequence_destroy, 336);
BP_FIELD(bp_backend, plan_prepare, 344);
BP_FIELD(bp_backend, run_tiled, 352);
static_assert(sizeof(bp_backend) == 360);

// Parameters are hashed and compared as bytes, so each is 32-bit fields without padding. A float
// has more than one representation of a value, which costs at most a second plan.
#define BACKPLANE_ROW(Op, name, id, in, out, adds, place, variadic)                         \
  static_assert(std::is_trivially_copyable_v<op::Op> && std::is_aggregate_v<op::Op>); \
  static_assert(std::is_empty_v<op::Op> || alignof(op::Op) == 4);
BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW

template <class T>
constexpr bool is_plain_bytes = std::has_unique_object_representations_v<T>;
static_assert(is_plain_bytes<op::Conv2d> && sizeof(op::Conv2d) == 36);
static_assert(is_plain_bytes<op::Conv2dBackwardData> && sizeof(op::Conv2dBackwardData) == 36);
static_assert(is_plain_bytes<op::Conv2dBackwardWeight> && sizeof(op::Conv2dBackwardWeight) == 36);
static_assert(is_plain_bytes<op::Conv2dActivation> && sizeof(op::Conv2dActivation) == 40);
static_assert(is_plain_bytes<op::MatmulActivation> && sizeof(op::MatmulActivation) == 4);
static_assert(is_plain_bytes<op::Conv2dReluMaxPool> && sizeof(op::Conv2dReluMaxPool) == 68);
static_assert(sizeof(op::Conv2dReluMaxPoolBackwardData) == 68);
static_assert(sizeof(op::Conv2dReluMaxPoolBackwardWeight) == 68);
static_assert(is_plain_bytes<op::MaxPool2d> && sizeof(op::MaxPool2d) == 40);
static_assert(is_plain_bytes<op::MaxPool2dBackward> && sizeof(op::MaxPool2dBackward) == 40);
static_assert(is_plain_bytes<op::AvgPool2d> && sizeof(op::AvgPool2d) == 36);
static_assert(is_plain_bytes<op::AvgPool2dBackward> && sizeof(op::AvgPool2dBackward) == 36);
static_assert(is_plain_bytes<op::Interpolate> && sizeof(op::Interpolate) == 8);
static_assert(is_plain_bytes<op::InterpolateBackward> && sizeof(op::InterpolateBackward) == 8);
static_assert(is_plain_bytes<op::Sum> && sizeof(op::Sum) == 4);
static_assert(is_plain_bytes<op::Mean> && sizeof(op::Mean) == 4);
static_assert(is_plain_bytes<op::Softmax> && sizeof(op::Softmax) == 4);
static_assert(is_plain_bytes<op::SoftmaxBackward> && sizeof(op::SoftmaxBackward) == 4);
static_assert(is_plain_bytes<op::LogSoftmax> && sizeof(op::LogSoftmax) == 4);
static_assert(is_plain_bytes<op::LogSoftmaxBackward> && sizeof(op::LogSoftmaxBackward) == 4);
static_assert(is_plain_bytes<op::CrossEntropy> && sizeof(op::CrossEntropy) == 4);
static_assert(is_plain_bytes<op::CrossEntropyBackward> && sizeof(op::CrossEntropyBackward) == 4);
static_assert(is_plain_bytes<op::Mse> && sizeof(op::Mse) == 4);
static_assert(is_plain_bytes<op::MseBackward> && sizeof(op::MseBackward) == 4);
static_assert(sizeof(op::Nll) == 16 && sizeof(op::NllBackward) == 16);
static_assert(is_plain_bytes<op::L1> && sizeof(op::L1) == 4 && sizeof(op::L1Backward) == 4);
static_assert(sizeof(op::Huber) == 8 && sizeof(op::HuberBackward) == 8);
static_assert(is_plain_bytes<op::BceWithLogits> && sizeof(op::BceWithLogits) == 4);
static_assert(is_plain_bytes<op::BceWithLogitsBackward> && sizeof(op::BceWithLogitsBackward) == 4);
static_assert(is_plain_bytes<op::KlDiv> && sizeof(op::KlDiv) == 8);
static_assert(is_plain_bytes<op::KlDivBackward> && sizeof(op::KlDivBackward) == 8);
static_assert(is_plain_bytes<op::ArgMax> && sizeof(op::ArgMax) == 4);
static_assert(is_plain_bytes<op::ArgMin> && sizeof(op::ArgMin) == 4);
static_assert(is_plain_bytes<op::Prod> && sizeof(op::Prod) == 4);
static_assert(sizeof(op::Max) == 4 && sizeof(op::Min) == 4);
static_assert(is_plain_bytes<op::Cumsum> && sizeof(op::Cumsum) == 8);
static_assert(is_plain_bytes<op::PhiloxScalars> && sizeof(op::PhiloxScalars) == 20);
static_assert(sizeof(op::Standardize) == 8 && sizeof(op::StandardizeBackward) == 8);
static_assert(sizeof(op::Dropout) == 4 && sizeof(op::Dropout2d) == 4);
static_assert(sizeof(op::Clamp) == 8 && sizeof(op::ClampBackward) == 8);
static_assert(sizeof(op::LeakyRelu) == 4 && sizeof(op::LeakyReluBackward) == 4);
static_assert(sizeof(op::Elu) == 4 && sizeof(op::EluBackward) == 4);
static_assert(is_plain_bytes<op::Gelu> && sizeof(op::Gelu) == 4);
static_assert(is_plain_bytes<op::GeluBackward> && sizeof(op::GeluBackward) == 4);
static_assert(sizeof(op::Softplus) == 8 && sizeof(op::SoftplusBackward) == 8);
static_assert(is_plain_bytes<op::Flip> && sizeof(op::Flip) == 4);
static_assert(is_plain_bytes<op::Gather> && sizeof(op::Gather) == 4);
static_assert(is_plain_bytes<op::ScatterAdd> && sizeof(op::ScatterAdd) == 4);
static_assert(is_plain_bytes<op::TopK> && sizeof(op::TopK) == 8);
static_assert(sizeof(op::Fill::Scalars) == 8 && sizeof(op::Affine::Scalars) == 16);
static_assert(is_plain_bytes<op::RmspropStep> && sizeof(op::RmspropStep) == 12);
static_assert(sizeof(op::RmspropStep::Scalars) == 20);
static_assert(sizeof(op::ClipByNorm::Scalars) == 4 && sizeof(op::ClipByValue::Scalars) == 4);
static_assert(sizeof(op::Uniform::Scalars) == 28 && sizeof(op::Normal::Scalars) == 28);

TEST_CASE("abi: ids and names of operations are unique, and the table finds them") {
  std::set<std::uint32_t> ids;
  std::set<std::string> names;
  std::size_t rows = 0;
#define BACKPLANE_ROW(Op, spelling, number, in, out, adds, place, variadic) \
  ++rows;                                                                   \
  ids.insert(number);                                                       \
  names.insert(#spelling);                                                  \
  CHECK(op::find_row(number) != nullptr);                                   \
  CHECK(op::find_row(number)->name == std::string(#spelling));
  BACKPLANE_OPS(BACKPLANE_ROW)
#undef BACKPLANE_ROW
  CHECK(ids.size() == rows);
  CHECK(names.size() == rows);
  CHECK(ids.count(0) == 0);  // no operation
  CHECK(*ids.rbegin() < BP_FIRST_NAMED_ID);
  CHECK(op::find_row(0) == nullptr);
  CHECK(op::find_row(BP_FIRST_NAMED_ID) == nullptr);
}

TEST_CASE("abi: ids stay what they are") {
  CHECK(op::row_of<op::Copy>.id == 1);
  CHECK(op::row_of<op::Conv2d>.id == 11);
  CHECK(op::row_of<op::CrossEntropy>.id == 22);
  CHECK(op::row_of<op::AdamStep>.id == 31);
}
