// The scope of each thread, the list of operations that it narrows, and narrow copies that are used
// again.
#include "backplane/autocast.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "autograd/node.hpp"
#include "check.hpp"
#include "device/device_state.hpp"
#include "dispatch/autocast.hpp"
#include "dispatch/dispatch.hpp"
#include "stream/stream_state.hpp"
#include "tensor/tensor_impl.hpp"

namespace backplane {
namespace detail {
namespace {

// Sums of products of their first two operands. A bias is the third, and is added in f32.
constexpr std::array listed{op::row_of<op::Matmul>.id, op::row_of<op::Conv2d>.id,
                            op::row_of<op::Conv2dBackwardData>.id,
                            op::row_of<op::Conv2dBackwardWeight>.id};
constexpr std::size_t factors = 2;

// A narrow copy, and what it is a copy of.
struct Kept {
  std::weak_ptr<Storage> source;
  std::uint64_t version;
  std::int64_t offset;
  Shape shape;
  Strides strides;
  std::uint32_t layout;
  Tensor copy;

  // Work of another stream wouldn't wait for the copy.
  [[nodiscard]] bool is_of(const TensorImpl& x, DType type) const {
    return source.lock() == x.storage && offset == x.offset && shape == x.shape &&
           strides == x.strides && layout == x.layout && copy.dtype() == type &&
           copy.impl()->storage->home == current_stream(x.device());
  }
  [[nodiscard]] bool is_stale() const {
    const std::shared_ptr<Storage> now = source.lock();
    return now == nullptr || now->version != version;
  }
};

struct Scope {
  std::optional<DType> type;
  int depth = 0;
  std::vector<Kept> kept;
};

Scope& scope() {
  thread_local Scope of_thread;
  return of_thread;
}

bool narrows(const Operation& operation) {
  return scope().type.has_value() && std::ranges::find(listed, operation.row().id) != listed.end();
}

// Elements that are repeated are converted once.
Tensor copied(const Tensor& x, DType type) {
  const TensorImpl& impl = *x.impl();
  Shape once = impl.shape;
  for (std::size_t axis = 0; axis < once.rank() && impl.layout == BP_LAYOUT_STRIDED; ++axis) {
    if (impl.strides[axis] == 0 && once[axis] > 1) once[axis] = 1;
  }
  const Operation copy(op::Copy{});
  if (once == impl.shape) return run(copy, {plain_handle(x)}, {type, once});
  return run(copy, {view_of(impl, once, impl.strides, impl.offset)}, {type, once})
      .expand(impl.shape);
}

Tensor narrow_copy(const Tensor& x, DType type) {
  const TensorImpl& impl = *x.impl();
  if (impl.dtype != DType::f32) return x;
  // A backward pass uses each gradient twice.
  const bool returns = impl.storage->holds_parameter || backward_of() != nullptr;
  if (!returns) return copied(x, type);
  std::vector<Kept>& kept = scope().kept;
  std::erase_if(kept, [](const Kept& one) { return one.is_stale(); });
  const auto found =
      std::ranges::find_if(kept, [&](const Kept& one) { return one.is_of(impl, type); });
  if (found != kept.end()) return found->copy;
  kept.push_back({impl.storage, impl.storage->version, impl.offset, impl.shape, impl.strides,
                  impl.layout, copied(x, type)});
  return kept.back().copy;
}

}  // namespace

Operands::Operands(const Operation& operation, std::span<const Tensor> given) : all_(given) {
  if (!narrows(operation)) return;
  narrowed_.assign(given.begin(), given.end());
  for (Tensor& x : std::span(narrowed_).first(std::min(given.size(), factors))) {
    x = narrow_copy(x, *scope().type);
  }
  all_ = narrowed_;
}

void forget_narrow_copies() noexcept {
  scope().kept.clear();
}

std::string autocast_advice(const Operation& operation) {
  if (!narrows(operation)) return "";
  return fmt::format(
      "; its operands are {} by autocast, which AutocastGuard(std::nullopt) "
      "switches off",
      to_string(*scope().type));
}

}  // namespace detail

std::optional<DType> autocast() noexcept {
  return detail::scope().type;
}

AutocastGuard::AutocastGuard(std::optional<DType> type) : previous_(autocast()) {
  if (type && *type != DType::bf16 && *type != DType::f16) {
    detail::reject("autocast: expects bf16, f16 or none, got {}", to_string(*type));
  }
  detail::scope().type = type;
  ++detail::scope().depth;
}

AutocastGuard::~AutocastGuard() {
  detail::Scope& scope = detail::scope();
  scope.type = previous_;
  if (--scope.depth == 0) detail::forget_narrow_copies();
}

}  // namespace backplane
