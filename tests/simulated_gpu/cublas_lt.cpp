#include "simulated_gpu/cublas_lt.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "simulated_gpu/product.h"

namespace lectern::test {
namespace {

struct Description {
  cublasComputeType_t compute;
  std::int32_t a_operation = CUBLAS_OP_N;
  std::int32_t b_operation = CUBLAS_OP_N;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void* vector = nullptr;
};

struct Layout {
  cudaDataType type;
  std::int64_t rows, columns, leading;
};

struct Preference {
  std::uint64_t workspace = 0;
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::uint32_t alignment[4] = {256, 256, 256, 256};
};

/// What an algorithm was chosen for, kept in its opaque words.
struct Algorithm {
  std::uint64_t m, n, k;
  std::uint64_t narrow_sums;
  std::uint64_t epilogue;
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

constexpr std::size_t kWorkspace = 4096;
constexpr std::uint32_t kAlignment = 16;

template <typename T, typename Handle>
T& of(Handle handle) {
  return *reinterpret_cast<T*>(handle);
}

template <typename T, typename Handle>
cublasStatus_t destroy(Handle handle) {
  const std::unique_ptr<T> last(reinterpret_cast<T*>(handle));
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
cublasStatus_t set(T& attribute, const void* value, std::size_t bytes) {
  if (value == nullptr || bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&attribute, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t create_description(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                  cudaDataType_t scale) {
  if (scale != (compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F)) return CUBLAS_STATUS_INVALID_VALUE;
  *description =
      reinterpret_cast<cublasLtMatmulDesc_t>(std::make_unique<Description>(Description{compute}).release());
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set_description(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute,
                               const void* value, std::size_t bytes) {
  auto& described = of<Description>(description);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(described.a_operation, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(described.b_operation, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(described.epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(described.vector, value, bytes);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t create_layout(cublasLtMatrixLayout_t* layout, cudaDataType type, std::uint64_t rows,
                             std::uint64_t columns, std::int64_t leading) {
  if (leading < static_cast<std::int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
      std::make_unique<Layout>(
          Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading})
          .release());
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t create_preference(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(std::make_unique<Preference>().release());
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set_preference(cublasLtMatmulPreference_t preference,
                              cublasLtMatmulPreferenceAttributes_t attribute, const void* value,
                              std::size_t bytes) {
  auto& preferred = of<Preference>(preference);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(preferred.workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return set(preferred.reductions, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(preferred.alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value, bytes);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

/// m, n and k, when the layouts are of one product.
bool sizes_of(const Description& description, const Layout& a, const Layout& b, const Layout& out,
              Algorithm& algorithm) {
  const bool a_transposed = description.a_operation == CUBLAS_OP_T;
  const bool b_transposed = description.b_operation == CUBLAS_OP_T;
  const std::int64_t m = a_transposed ? a.columns : a.rows, k = a_transposed ? a.rows : a.columns;
  const std::int64_t n = b_transposed ? b.rows : b.columns, b_k = b_transposed ? b.columns : b.rows;
  algorithm.m = static_cast<std::uint64_t>(m);
  algorithm.n = static_cast<std::uint64_t>(n);
  algorithm.k = static_cast<std::uint64_t>(k);
  return k == b_k && out.rows == m && out.columns == n;
}

bool is_aligned(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % kAlignment == 0;
}

/// A vector has the type of the result, which is that of the operands.
bool has_epilogue(const Description& description, const Layout& a, const Layout& out) {
  switch (description.epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
      return true;
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
      return is_aligned(description.vector) && description.compute != CUBLAS_COMPUTE_64F &&
             a.type == out.type;
    default:
      return false;
  }
}

cublasStatus_t choose(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,
                      cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                      cublasLtMatmulPreference_t preference, int wanted,
                      cublasLtMatmulHeuristicResult_t results[], int* found) {
  Algorithm algorithm{};
  *found = 0;
  if (wanted < 1 || c != d ||
      !sizes_of(of<Description>(description), of<Layout>(a), of<Layout>(b), of<Layout>(d), algorithm)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const auto& preferred = of<Preference>(preference);
  if (preferred.workspace < kWorkspace || std::ranges::min(preferred.alignment) < kAlignment ||
      !has_epilogue(of<Description>(description), of<Layout>(a), of<Layout>(d))) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  algorithm.epilogue = of<Description>(description).epilogue;
  algorithm.narrow_sums = (preferred.reductions &
                           (CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE)) != 0;
  results[0] = {};
  std::memcpy(&results[0].algo, &algorithm, sizeof algorithm);
  results[0].workspaceSize = kWorkspace;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t matmul(cublasLtHandle_t /*handle*/, cublasLtMatmulDesc_t description, const void* alpha,
                      const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                      cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                      cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                      const cublasLtMatmulAlgo_t* chosen, void* workspace, std::size_t bytes,
                      cudaStream_t /*stream*/) {
  const auto& described = of<Description>(description);
  const auto &left = of<Layout>(a_layout), &right = of<Layout>(b_layout), &out = of<Layout>(d_layout);
  Algorithm algorithm{}, given{};
  std::memcpy(&algorithm, chosen, sizeof algorithm);
  const float kept = *static_cast<const float*>(beta);
  const bool has_vector = described.epilogue != CUBLASLT_EPILOGUE_DEFAULT;
  if (described.epilogue != algorithm.epilogue || !has_epilogue(described, left, out) ||
      (has_vector && described.vector == nullptr)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (*static_cast<const float*>(alpha) != 1 || (kept != 0 && kept != 1) || c != d || c_layout != d_layout ||
      workspace == nullptr || bytes < kWorkspace || !is_aligned(a) || !is_aligned(b) || !is_aligned(d) ||
      !sizes_of(described, left, right, out, given) || given.m != algorithm.m || given.n != algorithm.n ||
      given.k != algorithm.k) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const bool sums_b = described.epilogue == CUBLASLT_EPILOGUE_BGRADB;
  const bool has_sums = sums_b || described.epilogue == CUBLASLT_EPILOGUE_BGRADA;
  return give_product(
      workspace, bytes,
      {.m = out.rows,
       .n = out.columns,
       .k = static_cast<std::int64_t>(algorithm.k),
       .a = {a, left.type, static_cast<cublasOperation_t>(described.a_operation), left.leading, 0},
       .b = {b, right.type, static_cast<cublasOperation_t>(described.b_operation), right.leading, 0},
       .out = d,
       .out_type = out.type,
       .out_leading = out.leading,
       .out_stride = 0,
       .batch = 1,
       .compute = described.compute,
       .accumulates = kept == 1,
       .bias = described.epilogue == CUBLASLT_EPILOGUE_BIAS ? described.vector : nullptr,
       .narrow_sums = algorithm.narrow_sums != 0,
       .inner_sums = has_sums ? described.vector : nullptr,
       .sums_b = sums_b});
}

}  // namespace

cuda::CublasLt simulated_cublas_lt() {
  return {.MatmulDescCreate = create_description,
          .MatmulDescDestroy = destroy<Description, cublasLtMatmulDesc_t>,
          .MatmulDescSetAttribute = set_description,
          .MatrixLayoutCreate = create_layout,
          .MatrixLayoutDestroy = destroy<Layout, cublasLtMatrixLayout_t>,
          .MatmulPreferenceCreate = create_preference,
          .MatmulPreferenceDestroy = destroy<Preference, cublasLtMatmulPreference_t>,
          .MatmulPreferenceSetAttribute = set_preference,
          .MatmulAlgoGetHeuristic = choose,
          .Matmul = matmul};
}

}  // namespace lectern::test
