// Images made smaller or larger: which image goes to which thread.
#include "resample.hpp"

#include "images.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace backplane::onednn {
namespace {

// An output of open layout takes the input's; a private layout on one side only is given up.
void settle(plugin::Request& request) {
  bp_tensor_desc &from = request.inputs[0], &to = request.outputs[0];
  if (to.layout == BP_LAYOUT_ANY) set_like(to, from);
  if (block_of(from) != block_of(to)) set_like(from, to);
}

std::int64_t work(const plugin::Request& request) {
  return std::max(element_count(request.inputs[0]), element_count(request.outputs[0]));
}

cpu::TapLine line_of(const std::vector<cpu::Taps>& taps) {
  return {taps.data(), static_cast<std::int64_t>(taps.size())};
}

}  // namespace

void check_resample(const Check& check, const plugin::Request& request, const bp_tensor_desc& x,
                    const bp_tensor_desc& y) {
  check.dtype(request.inputs[0], "input", {BP_F32});
  check.dtype(request.outputs[0], "output", {BP_F32});
  check.rank(x, "x", 4);
  check.rank(y, "y", 4);
  check.dims(y, "y", {x.dims[0], x.dims[1], y.dims[2], y.dims[3]});
  check.that(element_count(y) == 0 || element_count(x) != 0, "there are elements to take");
}

std::unique_ptr<plugin::Plan> forward_plan(plugin::Request& request, TapTables tables) {
  settle(request);
  const bp_tensor_desc &x = request.inputs[0], &y = request.outputs[0];
  const std::int64_t channels = channels_together({&x, &y});
  const Images from(x, channels), to(y, channels);
  const std::int64_t rows = element_count(y) == 0 ? 0 : y.dims[0] * to.groups * to.height;
  const unsigned parts = parts_for(work(request), request.threads);
  request.implementation = channels > 1 ? "vectors of channels" : "vectors of a row";
  return make_plan(request, [=, tables = std::move(tables)](const plugin::HostRun& run) {
    const cpu::TapLine along_rows = line_of(tables.rows), along_columns = line_of(tables.columns);
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(rows, part, parts);
      for (std::int64_t row = mine.begin; row < mine.end;) {
        const std::int64_t image = row / to.height, first = row % to.height;
        const std::int64_t last = std::min(to.height, first + mine.end - row);
        cpu::resample(channels, first, last, along_rows, along_columns,
                      from.at(run.input<float>(0), image), to.at(run.output<float>(0), image));
        row += last - first;
      }
    });
  });
}

std::unique_ptr<plugin::Plan> backward_plan(plugin::Request& request, TapTables tables) {
  settle(request);
  const bp_tensor_desc &dy = request.inputs[0], &dx = request.outputs[0];
  const std::int64_t channels = channels_together({&dx, &dy});
  const Images from(dy, channels), to(dx, channels);
  const std::int64_t images = element_count(dx) == 0 ? 0 : dx.dims[0] * to.groups;
  const unsigned parts = parts_for(work(request), request.threads);
  request.implementation = channels > 1 ? "vectors of channels" : "vectors of a row";
  return make_plan(request, [=, tables = std::move(tables)](const plugin::HostRun& run) {
    const cpu::TapLine along_rows = line_of(tables.rows), along_columns = line_of(tables.columns);
    in_parallel(parts, [&](unsigned part) {
      const Share mine = share_of(images, part, parts);
      for (std::int64_t image = mine.begin; image < mine.end; ++image) {
        cpu::resample_backward(channels, along_rows, along_columns,
                               from.at(run.input<float>(0), image),
                               to.at(run.output<float>(0), image));
      }
    });
  });
}

}  // namespace backplane::onednn
