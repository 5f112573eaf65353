// interpolate.
#include "functional/pooling.hpp"

namespace backplane {

Tensor interpolate(const Tensor& x, Size2d size, const InterpolateOptions& options) {
  detail::check_output_size("interpolate", x, size);
  if (options.align_corners && options.mode == Interpolation::nearest) {
    detail::reject("interpolate: align_corners goes with bilinear, got nearest; leave it out");
  }
  const op::InterpolateParams params{options.mode, options.align_corners ? 1u : 0u};
  const Tensor y = detail::run(Operation(op::Interpolate{params}), {x},
                               {x.dtype(), {x.size(0), x.size(1), size.rows, size.columns}});
  return detail::record(
      "interpolate", {x}, y, [params, like = detail::like(x)](const detail::BackwardCall& call) {
        return std::vector{
            detail::run(Operation(op::InterpolateBackward{params}), {call.gradient}, like)};
      });
}

}  // namespace backplane
