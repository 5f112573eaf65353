// matmul and matmul_activation: oneDNN's product for f32 and 16 bits, a plain vector loop for f64.
// Of a batch, each thread takes whole matrices where there are enough of them.
#include "cpu/matmul.h"

#include "backend.hpp"
#include "backplane/plugin/parts.hpp"
#include "check.hpp"
#include "cpu/arithmetic.h"
#include "layout.hpp"
#include "nest.hpp"
#include "parallel.hpp"
#include "plan.hpp"
#include "primitive.hpp"
#include "thin_product.hpp"

namespace backplane::onednn {
namespace {

// The last two axes, and those before them.
bp_tensor_desc matrix_of(bp_tensor_desc desc) {
  const auto first = static_cast<std::ptrdiff_t>(desc.rank) - 2;
  std::copy_n(desc.dims + first, 2, desc.dims);
  std::copy_n(desc.strides + first, 2, desc.strides);
  desc.rank = 2;
  return desc;
}
bp_tensor_desc batch_of(bp_tensor_desc desc) {
  desc.rank -= 2;
  return desc;
}

// The matrices of y, a and b, and how to share them out.
struct Batch {
  Nest matrices;
  unsigned parts;        // that take matrices
  std::uint32_t within;  // threads for the product of one

  Batch(const plugin::Request& request, std::int64_t products)
      : matrices(make_nest(request)), parts(1), within(1) {
    const std::int64_t count = matrices.elements();
    const bool by_matrix = count > 1 && count >= request.threads;
    if (by_matrix) parts = team_for_products(count * products, request.threads);
    if (!by_matrix) within = team_for_products(products, request.threads);
  }

  // Calls multiply(part, offset in y, in a, in b).
  template <class Multiply>
  void for_each(const Multiply& multiply) const {
    in_parallel(parts, [&](unsigned part) {
      matrices.run_part(part, parts, [&](cpu::Plane plane, const Nest::Steps& at) {
        for (std::int64_t row = 0; row < plane.rows; ++row) {
          for (std::int64_t i = 0; i < plane.count; ++i) {
            const auto place = [&](int operand) {
              const Nest::Step& step = at[operand];
              return step.offset + row * step.row_stride + i * step.stride;
            };
            multiply(part, place(0), place(1), place(2));
          }
        }
      });
    });
  }

 private:
  static Nest make_nest(const plugin::Request& request) {
    const bp_tensor_desc y = batch_of(request.outputs[0]), a = batch_of(request.inputs[0]);
    const bp_tensor_desc b = batch_of(request.inputs[1]);
    return Nest({&y, &a, &b});
  }
};

// One axis has no gaps, and a step along the other leaves the whole of it behind.
bool is_matrix(const bp_tensor_desc& desc) {
  const auto leads = [&](int outer, int inner) {
    return (desc.strides[inner] == 1 || desc.dims[inner] == 1) &&
           (desc.strides[outer] >= desc.dims[inner] || desc.dims[outer] == 1);
  };
  return leads(0, 1) || leads(1, 0);
}

// oneDNN wants strides that make sense even along an axis of size 1.
dnnl::memory::desc memory_of(const bp_tensor_desc& desc) {
  std::int64_t row = std::max<std::int64_t>(desc.strides[0], 1), column = desc.strides[1];
  if (desc.dims[1] == 1) column = 1;
  if (desc.dims[0] == 1) row = column == 1 ? desc.dims[1] : 1;
  return {{desc.dims[0], desc.dims[1]}, memory_type(desc), {row, column}};
}

// The sum is empty: y = bias or zero, or y += bias.
template <class T>
std::unique_ptr<plugin::Plan> plan_empty_sum(plugin::Request& request) {
  const bp_tensor_desc& y = request.outputs[0];
  bp_tensor_desc bias = y;
  std::fill_n(bias.strides, bias.rank, 0);
  if (request.inputs.size() == 3) bias.strides[1] = 1;
  const bool adds = (request.adds_to & 1) != 0;
  request.implementation = "vector loop";
  return make_plan(request, [nest = Nest({&y, &bias}), adds](const plugin::HostRun& run) {
    static constexpr T zero = 0;
    const T* src = run.input(2) != nullptr ? run.input<T>(2) : &zero;
    T* dst = run.output<T>(0);
    nest.run(1, [&](cpu::Plane plane, const Nest::Steps& at) {
      const cpu::Strided<const T> before =
          adds ? strided<const T>(dst, at[0]) : cpu::Strided<const T>{&zero, 0, 0};
      cpu::map(cpu::Add(), plane, before, strided(src, at[1]), strided(dst, at[0]));
    });
  });
}

std::unique_ptr<plugin::Plan> plan_f64(plugin::Request& request) {
  if (matrix_of(request.inputs[1]).strides[1] != 1) set_row_major(request.inputs[1]);
  const bp_tensor_desc a = matrix_of(request.inputs[0]), b = matrix_of(request.inputs[1]);
  const bp_tensor_desc y = matrix_of(request.outputs[0]);
  const cpu::MatmulF64 whole{.rows = y.dims[0],
                             .columns = y.dims[1],
                             .inner = a.dims[1],
                             .a = nullptr,
                             .a_row_stride = a.strides[0],
                             .a_stride = a.strides[1],
                             .b = nullptr,
                             .b_row_stride = b.strides[0],
                             .bias = nullptr,
                             .y = nullptr,
                             .y_row_stride = y.strides[0],
                             .adds = (request.adds_to & 1) != 0};
  const Batch batch(request, whole.rows * whole.columns * whole.inner);
  request.implementation = "vector loop";
  return make_plan(request, [whole, batch](const plugin::HostRun& run) {
    batch.for_each([&](unsigned, std::int64_t in_y, std::int64_t in_a, std::int64_t in_b) {
      in_parallel(batch.within, [&](unsigned part) {
        const Share rows = share_of(whole.rows, part, batch.within);
        cpu::MatmulF64 mine = whole;
        mine.rows = rows.end - rows.begin;
        mine.a = run.input<double>(0) + in_a + rows.begin * whole.a_row_stride;
        mine.b = run.input<double>(1) + in_b;
        mine.bias = run.input<double>(2);
        mine.y = run.output<double>(0) + in_y + rows.begin * whole.y_row_stride;
        cpu::matmul(mine);
      });
    });
  });
}

// Of one matrix; throws dnnl::error where oneDNN has none. With `orders`, it chooses how b lies.
dnnl::matmul::primitive_desc describe_product(const plugin::Request& request, bool orders) {
  auto attributes = caller_owns_scratchpad();
  if ((request.adds_to & 1) != 0) {
    dnnl::post_ops sum;
    sum.append_sum();
    attributes.set_post_ops(sum);
  }
  const bp_tensor_desc y = matrix_of(request.outputs[0]);
  dnnl::memory::desc bias;
  if (request.inputs.size() == 3) {
    bias = {{1, y.dims[1]}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab};
  }
  dnnl::memory::desc b = memory_of(matrix_of(request.inputs[1]));
  if (orders) b = {b.dims(), b.data_type(), dnnl::memory::format_tag::any};
  return {
      {memory_of(matrix_of(request.inputs[0])), b, bias, memory_of(y)}, attributes, cpu_engine()};
}

std::unique_ptr<plugin::Plan> plan_product(const Check& check, plugin::Request& request) {
  for (bp_tensor_desc* operand : {&request.inputs[0], &request.inputs[1]}) {
    if (!is_matrix(matrix_of(*operand))) set_row_major(*operand);
  }
  const bp_tensor_desc a = matrix_of(request.inputs[0]), y = matrix_of(request.outputs[0]);
  const Batch batch(request, y.dims[0] * y.dims[1] * a.dims[1]);
  const VendorTeam team(batch.within);
  try {
    const bool one_matrix = request.inputs[1].rank == 2;
    const dnnl::matmul::primitive_desc description =
        describe_product(request, request.keeps(1) && one_matrix);
    const Reorder reorder(memory_of(matrix_of(request.inputs[1])), description.weights_desc());
    const bool prepares = reorder.needed();
    if (prepares) request.prepared_bytes = description.weights_desc().get_size();
    request.implementation = description.impl_info_str();
    const std::uint64_t each = aligned(description.scratchpad_desc().get_size());
    request.workspace_bytes = batch.parts * each;
    const Primitive product(dnnl::matmul(description),
                            {{DNNL_ARG_SRC, description.src_desc()},
                             {DNNL_ARG_WEIGHTS, description.weights_desc()},
                             {DNNL_ARG_DST, description.dst_desc()},
                             {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()},
                             {DNNL_ARG_BIAS, description.bias_desc()}});
    const auto bytes = static_cast<std::int64_t>(element_bytes(a));
    const auto compute = [=](const plugin::HostRun& run) {
      batch.for_each([&](unsigned part, std::int64_t in_y, std::int64_t in_a, std::int64_t in_b) {
        const VendorTeam team(batch.within);
        const char* b = prepares ? run.prepared() : run.input(1) + in_b * bytes;
        product.execute({const_cast<char*>(run.input(0) + in_a * bytes), const_cast<char*>(b),
                         run.output<float>(0) + in_y, run.workspace() + part * each,
                         const_cast<char*>(run.input(2))});
      });
    };
    return make_plan(request, compute, [=](const plugin::HostRun& run) {
      const VendorTeam team(batch.within);
      reorder.pack(run.input(1), run.prepared());
    });
  } catch (const dnnl::error& error) {
    throw check.unsupported(std::string("oneDNN declines, ") + error.message);
  }
}

// Dims and types; returns whether the sum has terms and y elements.
bool check_operands(const Check& check, plugin::Request& request) {
  bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1], &y = request.outputs[0];
  check.that(a.rank >= 2, "a must have rank 2 or more, it is " + describe(a));
  const std::uint32_t row = a.rank - 2, column = a.rank - 1;
  bp_tensor_desc wanted = a;  // the leading dims of all three
  wanted.dims[row] = a.dims[column];
  wanted.dims[column] = b.rank == a.rank ? b.dims[column] : 0;
  check.same_dims(b, "b", wanted);
  wanted.dims[row] = a.dims[row];
  check.same_dims(y, "y", wanted);
  check.dtype(a, "a", {BP_F32, BP_F64, BP_BF16, BP_F16});
  check.dtype(y, "y", {a.dtype == BP_F64 ? BP_F64 : BP_F32});
  check.that(a.dtype == b.dtype, "a and b have one dtype");
  for (bp_tensor_desc* operand : {&a, &b}) {
    if (block_of(*operand) != 0) set_row_major(*operand);
  }
  if (request.inputs.size() == 3) {
    bp_tensor_desc& bias = request.inputs[2];
    check.that(a.rank == 2, "a bias comes with rank 2 only, a is " + describe(a));
    check.dims(bias, "bias", {y.dims[1]});
    check.that(bias.dtype == y.dtype, "bias has the dtype of y");
    if (!is_row_major(bias)) set_row_major(bias);
  }
  return element_count(y) != 0 && a.dims[column] != 0;
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Matmul& op, plugin::Request& request) {
  const Check check(op::row_of<op::Matmul>, request);
  check.inputs(2, 3);
  check.outputs(1, 1);
  const bool sums = check_operands(check, request);
  if (widens(request.inputs[0])) {
    return plan_widened(request, [&](auto& wide) { return plan(op, wide); });
  }
  bp_tensor_desc& y = request.outputs[0];
  if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
  const bp_tensor_desc rows = matrix_of(y);
  if (block_of(y) != 0 ||
      (rows.dims[1] > 1 &&
       (rows.strides[1] != 1 || (rows.dims[0] > 1 && rows.strides[0] < rows.dims[1])))) {
    throw check.unsupported("y is written in rows without gaps only");
  }
  if (!sums) {
    return y.dtype == BP_F64 ? plan_empty_sum<double>(request) : plan_empty_sum<float>(request);
  }
  if (y.dtype == BP_F64) return plan_f64(request);
  std::unique_ptr<plugin::Plan> thin = plan_thin_product(request);
  return thin != nullptr ? std::move(thin) : plan_product(check, request);
}

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::MatmulActivation& op,
                                                 plugin::Request& request) {
  const Check check(op::row_of<op::MatmulActivation>, request);
  check.that(op.activation <= op::Activation::tanh, "there is no such activation");
  check.outputs(1, 1);
  return plugin::plan_activated(*this, op.activation, op::Matmul{}, request);
}

}  // namespace backplane::onednn
