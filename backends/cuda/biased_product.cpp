// Descriptions for cuBLASLt, the choice of an algorithm when a plan is made, and its call.
#include "biased_product.hpp"

#include "queue.hpp"

namespace backplane::cuda {
namespace {

constexpr std::uint32_t fast_alignment = 16;

LtHandle<cublasLtMatrixLayoutOpaque_t> make_layout(i64 rows, i64 columns, i64 leading) {
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, CUDA_R_32F, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), leading),
        "describing a matrix");
  return LtHandle<cublasLtMatrixLayoutOpaque_t>(made);
}

template <class T>
void set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t name, const T& value) {
  check(cublasLtMatmulDescSetAttribute(desc, name, &value, sizeof value), "describing a product");
}

template <class T>
void set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t name,
         const T& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, name, &value, sizeof value),
        "saying what a product may use");
}

LtHandle<cublasLtMatmulPreferenceOpaque_t> make_preference(std::uint32_t alignment,
                                                           std::uint64_t workspace_bytes) {
  cublasLtMatmulPreference_t made = nullptr;
  check(cublasLtMatmulPreferenceCreate(&made), "saying what a product may use");
  LtHandle<cublasLtMatmulPreferenceOpaque_t> preference(made);
  set(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace_bytes);
  // Sums that are split are added up in a fixed order, in float32.
  set(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  for (const auto name :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set(made, name, alignment);
  }
  return preference;
}

bool is_aligned(std::initializer_list<const char*> addresses) {
  return std::ranges::all_of(addresses, [](const char* address) {
    return reinterpret_cast<std::uintptr_t>(address) % fast_alignment == 0;
  });
}

}  // namespace

LtHandle<cublasLtContext> make_lt() {
  cublasLtHandle_t made = nullptr;
  check(cublasLtCreate(&made), "creating a cuBLASLt handle");
  return LtHandle<cublasLtContext>(made);
}

BiasedProduct::Operand BiasedProduct::operand(const card::Matrix& matrix) {
  if (const auto leading = card::leading_of_rows(matrix)) {
    return {make_layout(matrix.columns, matrix.rows, *leading), CUBLAS_OP_N};
  }
  const i64 leading = card::leading_of_rows(card::transposed(matrix)).value();
  return {make_layout(matrix.rows, matrix.columns, leading), CUBLAS_OP_T};
}

BiasedProduct::BiasedProduct(cublasLtHandle_t lt, const card::Matrix& y, const card::Matrix& a,
                             const card::Matrix& b, bool strict, BlasScratch scratch)
    : lt_(lt),
      y_(operand(y)),
      a_(operand(a)),
      b_(operand(b)),
      compute_(strict ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F),
      scratch_(scratch) {}

std::shared_ptr<const BiasedProduct> BiasedProduct::find(cublasLtHandle_t lt, const card::Matrix& y,
                                                         const card::Matrix& a,
                                                         const card::Matrix& b, bool strict,
                                                         BlasScratch scratch) {
  std::shared_ptr<BiasedProduct> product(new BiasedProduct(lt, y, a, b, strict, scratch));
  const bool found = product->find_algorithm(fast_alignment, product->aligned_) &&
                     product->find_algorithm(sizeof(float), product->unaligned_);
  return found ? product : nullptr;
}

LtHandle<cublasLtMatmulDescOpaque_t> BiasedProduct::describe(const void* bias) const {
  cublasLtMatmulDesc_t made = nullptr;
  check(cublasLtMatmulDescCreate(&made, compute_, CUDA_R_32F), "describing a product");
  LtHandle<cublasLtMatmulDescOpaque_t> desc(made);
  set(made, CUBLASLT_MATMUL_DESC_TRANSA, b_.operation);
  set(made, CUBLASLT_MATMUL_DESC_TRANSB, a_.operation);
  set(made, CUBLASLT_MATMUL_DESC_EPILOGUE, cublasLtEpilogue_t{CUBLASLT_EPILOGUE_BIAS});
  set(made, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  return desc;
}

bool BiasedProduct::find_algorithm(std::uint32_t alignment, cublasLtMatmulAlgo_t& algorithm) const {
  const auto desc = describe(nullptr);
  const auto preference = make_preference(alignment, scratch_.bytes);
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  const cublasStatus_t code = cublasLtMatmulAlgoGetHeuristic(
      lt_, desc.get(), b_.layout.get(), a_.layout.get(), y_.layout.get(), y_.layout.get(),
      preference.get(), 1, &best, &found);
  if (code == CUBLAS_STATUS_NOT_SUPPORTED || code == CUBLAS_STATUS_INVALID_VALUE) return false;
  check(code, "looking for a product's algorithm");
  algorithm = best.algo;
  return found > 0;
}

void BiasedProduct::enqueue(const card::Call& call, const card::Memory& y, const card::Memory& a,
                            const card::Memory& b, const card::Memory& bias) const {
  auto& queue = static_cast<CudaQueue&>(call.queue);
  const CurrentDevice scope(queue.ordinal());
  const float one = 1.0f, none = 0.0f;
  const bool aligned = is_aligned({address(y), address(a), address(b)});
  const auto desc = describe(address(bias));
  check(cublasLtMatmul(lt_, desc.get(), &one, address(b), b_.layout.get(), address(a),
                       a_.layout.get(), &none, address(y), y_.layout.get(), address(y),
                       y_.layout.get(), aligned ? &aligned_ : &unaligned_,
                       address(call.workspace(scratch_.offset)), scratch_.bytes, queue.stream()),
        "a matrix product with a bias");
}

}  // namespace backplane::cuda
