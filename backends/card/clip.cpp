// gradient_norm, clip_by_norm and clip_by_value, over many gradients.
#include <algorithm>

#include "plans.hpp"

namespace backplane::card {
namespace {

// Pieces into which one tensor is cut: by its size alone, so that the sum has the same bits each
// time.
i64 chunks_of(i64 count) {
  constexpr i64 elements_of_a_chunk = 16 * GROUP, most = 256;
  return std::min((count + elements_of_a_chunk - 1) / elements_of_a_chunk, most);
}

// One walk for each of the first `count` inputs, which the outputs are the memory of.
std::vector<Nest> walks_in_place(const Check& check, const plugin::Request& request,
                                 std::uint32_t count) {
  std::vector<Nest> walks;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bp_tensor_desc &dst = request.outputs[i], &src = request.inputs[i];
    check.that(std::equal(dst.strides, dst.strides + dst.rank, src.strides),
               "an output must be the memory of its input, with the same strides");
    walks.push_back(nest({&dst, &src}));
  }
  return walks;
}

}  // namespace

std::unique_ptr<plugin::Plan> Plans::plan(const op::GradientNorm& op, plugin::Request& request) {
  Check check(op::row_of<op::GradientNorm>, request);
  check.multi_tensor(op.count, 1, 0, 0, 1);
  struct Part {
    Nest walk;
    i64 first;  // of its sums
  };
  std::vector<Part> parts;
  i64 sums = 0;
  for (const bp_tensor_desc& tensor : request.inputs) {
    parts.push_back({nest({&tensor}), sums});
    sums += chunks_of(parts.back().walk.count);
  }
  const std::uint64_t scratch = reserve(request, static_cast<std::uint64_t>(sums) * sizeof(float));
  return make_plan<op::GradientNorm>(
      request, "fixed tree", [parts, sums, scratch](const Call& call) {
        const Memory partial = call.workspace(scratch);
        for (std::size_t i = 0; i < parts.size(); ++i) {
          const Part& part = parts[i];
          const i64 chunks = chunks_of(part.walk.count);
          launch(call.queue, kernel::square_sums, groups(chunks), part.walk, partial, call.input(i),
                 part.first, chunks);
        }
        launch(call.queue, kernel::norm_of_sums, Groups{1}, call.output(0), partial, sums);
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ClipByNorm& op, plugin::Request& request) {
  Check check(op::row_of<op::ClipByNorm>, request);
  check.multi_tensor(op.count, 1, 1, 1, 0);
  return make_plan<op::ClipByNorm>(
      request, "elementwise kernel",
      [walks = walks_in_place(check, request, op.count)](const Call& call) {
        const float max_norm = call.scalars<op::ClipByNorm>().max_norm;
        for (std::size_t i = 0; i < walks.size(); ++i) {
          launch(call.queue, kernel::clip_by_norm, items(walks[i].count), walks[i], call.output(i),
                 call.input(walks.size()), max_norm);
        }
      });
}

std::unique_ptr<plugin::Plan> Plans::plan(const op::ClipByValue& op, plugin::Request& request) {
  Check check(op::row_of<op::ClipByValue>, request);
  check.multi_tensor(op.count, 1, 1);
  return make_plan<op::ClipByValue>(
      request, "elementwise kernel",
      [walks = walks_in_place(check, request, op.count)](const Call& call) {
        const float limit = call.scalars<op::ClipByValue>().limit;
        for (std::size_t i = 0; i < walks.size(); ++i) {
          launch(call.queue, kernel::clamp_float, items(walks[i].count), walks[i], call.output(i),
                 call.input(i), i32{F32}, -limit, limit);
        }
      });
}

}  // namespace backplane::card
