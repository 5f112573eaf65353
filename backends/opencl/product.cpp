// The two products and their scratch memory.
#include "product.hpp"

#include "blocks.hpp"
#include "kernels.hpp"

namespace backplane::opencl {
namespace {

using card::Call;
using card::Matrix;
using card::Memory;

Steps steps_of(const Matrix& matrix) {
  return {matrix.row_stride, matrix.column_stride, matrix.batch_stride};
}

ProductShape shape_of(const Matrix& y, const Matrix& a, const Matrix& b) {
  return {y.rows, y.columns, a.columns, 1, steps_of(y), steps_of(a), steps_of(b)};
}

class TiledProduct final : public card::Product {
 public:
  TiledProduct(const card::Check& check, const Matrix& y, const Matrix& a, const Matrix& b)
      : Product(check, y, a, b), shape_(shape_of(y, a, b)) {}
  [[nodiscard]] const char* name() const override { return "tiled product"; }

 private:
  void multiply(const Call& call, const Memory& y, const Memory& a, const Memory& b, i64 batch,
                bool adds) const override {
    ProductShape shape = shape_;
    shape.batch = batch;
    const i64 tiles = (shape.rows + 63) / 64 * ((shape.columns + 63) / 64) * batch;
    card::launch(call.queue, kernel::product_tiled, card::groups(tiles), shape, y, a, b, adds);
  }

  ProductShape shape_;
};

class BlockedProduct final : public card::Product {
 public:
  BlockedProduct(const card::Check& check, plugin::Request& request, const Blocks& blocks,
                 const Matrix& y, const Matrix& a, const Matrix& b)
      : Product(check, y, a, b),
        shape_(shape_of(y, a, b)),
        blocks_(blocks),
        a_panels_(reserve_floats(request, rounded_up(y.rows, blocks.rows) * a.columns)),
        b_panels_(reserve_floats(request, rounded_up(y.columns, blocks.columns) * a.columns)) {}
  [[nodiscard]] const char* name() const override { return "blocked product"; }

 private:
  void multiply(const Call& call, const Memory& y, const Memory& a, const Memory& b, i64 batch,
                bool adds) const override {
    const Memory left = call.workspace(a_panels_), right = call.workspace(b_panels_);
    const i64 panels = shape_.rows / blocks_.rows + shape_.columns / blocks_.columns + 2;
    for (i64 i = 0; i < batch; ++i) {
      if (i == 0 || shape_.a.batch != 0) {
        pack(call, left, advanced(a, i * shape_.a.batch), shape_.rows, blocks_.rows, shape_.a.row,
             shape_.a.column);
      }
      if (i == 0 || shape_.b.batch != 0) {
        pack(call, right, advanced(b, i * shape_.b.batch), shape_.columns, blocks_.columns,
             shape_.b.column, shape_.b.row);
      }
      card::launch(call.queue, kernel::product_blocked, card::groups(panels * panels), shape_,
                   advanced(y, i * shape_.y.batch), left, right, adds);
    }
  }

  void pack(const Call& call, const Memory& panels, const Memory& x, i64 lines, i64 width,
            i64 line_step, i64 inner_step) const {
    const i64 pieces = (lines / width + 1) * (shape_.inner / 128 + 1);
    card::launch(call.queue, kernel::pack_panels, card::groups(pieces), lines, shape_.inner, width,
                 line_step, inner_step, panels, x);
  }

  ProductShape shape_;
  Blocks blocks_;
  std::uint64_t a_panels_, b_panels_;
};

}  // namespace

std::shared_ptr<const card::Product> make_product(const Programs& programs,
                                                  const card::Check& check,
                                                  plugin::Request& request, const Matrix& y,
                                                  const Matrix& a, const Matrix& b) {
  if (programs.family() == Family::gpu) return std::make_shared<TiledProduct>(check, y, a, b);
  return std::make_shared<BlockedProduct>(check, request, Blocks(programs.lanes()), y, a, b);
}

}  // namespace backplane::opencl
