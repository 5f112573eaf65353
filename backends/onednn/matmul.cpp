// matmul: oneDNN's product for f32, a plain vector loop for f64.
#include "cpu/matmul.h"

#include "backend.hpp"
#include "check.hpp"
#include "cpu/arithmetic.h"
#include "layout.hpp"
#include "nest.hpp"
#include "parallel.hpp"
#include "plan.hpp"
#include "primitive.hpp"

namespace backplane::onednn {
namespace {

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
  return {{desc.dims[0], desc.dims[1]}, dnnl::memory::data_type::f32, {row, column}};
}

// The sum is empty: y = bias or zero, or y += bias.
template <class T>
std::unique_ptr<plugin::Plan> plan_empty_sum(plugin::Request& request) {
  const bp_tensor_desc& y = request.outputs[0];
  bp_tensor_desc bias = y;
  bias.strides[0] = 0;
  bias.strides[1] = request.inputs.size() == 3 ? 1 : 0;
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
  const bp_tensor_desc &a = request.inputs[0], &y = request.outputs[0];
  bp_tensor_desc& b = request.inputs[1];
  if (b.strides[1] != 1) set_row_major(b);
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
  const unsigned parts = parts_for(whole.rows * whole.columns * whole.inner, request.threads);
  request.implementation = "vector loop";
  return make_plan(request, [whole, parts](const plugin::HostRun& run) {
    in_parallel(parts, [&](unsigned part) {
      const Share rows = share_of(whole.rows, part, parts);
      cpu::MatmulF64 mine = whole;
      mine.rows = rows.end - rows.begin;
      mine.a = run.input<double>(0) + rows.begin * whole.a_row_stride;
      mine.b = run.input<double>(1);
      mine.bias = run.input<double>(2);
      mine.y = run.output<double>(0) + rows.begin * whole.y_row_stride;
      cpu::matmul(mine);
    });
  });
}

std::unique_ptr<plugin::Plan> plan_f32(const Check& check, plugin::Request& request) {
  bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1];
  const bp_tensor_desc& y = request.outputs[0];
  if (!is_matrix(a)) set_row_major(a);
  if (!is_matrix(b)) set_row_major(b);
  auto attributes = caller_owns_scratchpad();
  if ((request.adds_to & 1) != 0) {
    dnnl::post_ops sum;
    sum.append_sum();
    attributes.set_post_ops(sum);
  }
  dnnl::memory::desc bias;
  if (request.inputs.size() == 3) {
    bias = {{1, y.dims[1]}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab};
  }
  const std::uint32_t threads =
      team_for_products(y.dims[0] * y.dims[1] * a.dims[1], request.threads);
  const VendorTeam team(threads);
  try {
    const dnnl::matmul::primitive_desc description({memory_of(a), memory_of(b), bias, memory_of(y)},
                                                   attributes, cpu_engine());
    request.implementation = description.impl_info_str();
    request.workspace_bytes = description.scratchpad_desc().get_size();
    const Primitive product(dnnl::matmul(description),
                            {{DNNL_ARG_SRC, description.src_desc()},
                             {DNNL_ARG_WEIGHTS, description.weights_desc()},
                             {DNNL_ARG_DST, description.dst_desc()},
                             {DNNL_ARG_SCRATCHPAD, description.scratchpad_desc()},
                             {DNNL_ARG_BIAS, description.bias_desc()}});
    return make_plan(request, [product, threads](const plugin::HostRun& run) {
      const VendorTeam team(threads);
      product.execute({const_cast<char*>(run.input(0)), const_cast<char*>(run.input(1)),
                       run.output(0), run.workspace(), const_cast<char*>(run.input(2))});
    });
  } catch (const dnnl::error& error) {
    throw check.unsupported(std::string("oneDNN declines, ") + error.message);
  }
}

}  // namespace

std::unique_ptr<plugin::Plan> OnednnDevice::plan(const op::Matmul&, plugin::Request& request) {
  const Check check(op::row_of<op::Matmul>, request);
  check.inputs(2, 3);
  check.outputs(1, 1);
  bp_tensor_desc &a = request.inputs[0], &b = request.inputs[1], &y = request.outputs[0];
  check.rank(a, "a", 2);
  check.rank(b, "b", 2);
  check.dims(b, "b", {a.dims[1], b.dims[1]});
  check.dims(y, "y", {a.dims[0], b.dims[1]});
  check.dtype(y, "y", {BP_F32, BP_F64});
  check.that(a.dtype == y.dtype && b.dtype == y.dtype, "a, b and y have one dtype");
  if (request.inputs.size() == 3) {
    bp_tensor_desc& bias = request.inputs[2];
    check.dims(bias, "bias", {y.dims[1]});
    check.that(bias.dtype == y.dtype, "bias has the dtype of y");
    if (!is_row_major(bias)) set_row_major(bias);
  }
  if (y.layout == BP_LAYOUT_ANY) set_row_major(y);
  if (y.dims[1] > 1 && (y.strides[1] != 1 || (y.dims[0] > 1 && y.strides[0] < y.dims[1]))) {
    throw check.unsupported("y is written in rows without gaps only");
  }
  if (element_count(y) == 0 || a.dims[1] == 0) {
    return y.dtype == BP_F64 ? plan_empty_sum<double>(request) : plan_empty_sum<float>(request);
  }
  return y.dtype == BP_F64 ? plan_f64(request) : plan_f32(check, request);
}

}  // namespace backplane::onednn
