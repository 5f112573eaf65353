// Opens CLBlast once, and calls it. It compiles its own kernels when first called, and takes memory
// of its own for some shapes.
#include "clblast.hpp"

#include <clblast_c.h>
#include <dlfcn.h>

#include "queue.hpp"

namespace backplane::opencl {
namespace {

using card::Call;
using card::Matrix;
using card::Memory;

// Its functions; null where the library isn't installed.
struct Library {
  decltype(&::CLBlastSgemmStridedBatched) gemm = nullptr;
  decltype(&::CLBlastClearCache) clear_cache = nullptr;
};

Library open_library() {
  void* library = dlopen("libclblast.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  Library found;
  found.gemm = reinterpret_cast<decltype(found.gemm)>(dlsym(library, "CLBlastSgemmStridedBatched"));
  found.clear_cache =
      reinterpret_cast<decltype(found.clear_cache)>(dlsym(library, "CLBlastClearCache"));
  return found;
}

const Library& library() {
  static const Library opened = open_library();
  return opened;
}

struct Operand {
  explicit Operand(const Matrix& matrix)
      : transpose(card::leading_of_rows(matrix) ? CLBlastTransposeNo : CLBlastTransposeYes),
        leading(static_cast<std::size_t>(
            card::leading_of_rows(transpose == CLBlastTransposeNo ? matrix : transposed(matrix))
                .value())),
        stride(static_cast<std::size_t>(matrix.batch_stride)) {}
  CLBlastTranspose transpose;
  std::size_t leading, stride;
};

cl_mem handle_of(const Memory& memory) {
  return static_cast<cl_mem>(memory.handle);
}

std::size_t floats_before(const Memory& memory) {
  return static_cast<std::size_t>(memory.offset) / sizeof(float);
}

class ClblastProduct final : public card::Product {
 public:
  ClblastProduct(const card::Check& check, const Matrix& y, const Matrix& a, const Matrix& b)
      : Product(check, y, a, b),
        swapped_(!card::leading_of_rows(y)),  // then its transpose is computed
        rows_(static_cast<std::size_t>(swapped_ ? y.columns : y.rows)),
        columns_(static_cast<std::size_t>(swapped_ ? y.rows : y.columns)),
        inner_(static_cast<std::size_t>(a.columns)),
        y_(swapped_ ? transposed(y) : y),
        a_(swapped_ ? transposed(b) : a),
        b_(swapped_ ? transposed(a) : b) {}
  [[nodiscard]] const char* name() const override { return "CLBlast"; }

 private:
  void multiply(const Call& call, const Memory& y, const Memory& a, const Memory& b, i64 batch,
                bool adds) const override {
    auto& queue = static_cast<OpenclQueue&>(call.queue);
    cl_command_queue handle = queue.handle();
    const Memory &left = swapped_ ? b : a, &right = swapped_ ? a : b;
    // It wants one that isn't 0, for a single matrix as well.
    const std::size_t y_stride = std::max<std::size_t>(y_.stride, 1);
    const CLBlastStatusCode code = library().gemm(
        CLBlastLayoutRowMajor, a_.transpose, b_.transpose, rows_, columns_, inner_, 1.0f,
        handle_of(left), floats_before(left), a_.leading, a_.stride, handle_of(right),
        floats_before(right), b_.leading, b_.stride, adds ? 1.0f : 0.0f, handle_of(y),
        floats_before(y), y_.leading, y_stride, static_cast<std::size_t>(batch), &handle, nullptr);
    check(code, "a matrix product of CLBlast");
    queue.enqueued();
  }

  bool swapped_;
  std::size_t rows_, columns_, inner_;
  Operand y_, a_, b_;
};

}  // namespace

bool has_clblast() {
  return library().gemm != nullptr;
}

void release_clblast_programs() {
  if (library().clear_cache != nullptr) library().clear_cache();
}

std::shared_ptr<const card::Product> make_clblast_product(const card::Check& check, const Matrix& y,
                                                          const Matrix& a, const Matrix& b) {
  return std::make_shared<ClblastProduct>(check, y, a, b);
}

}  // namespace backplane::opencl
