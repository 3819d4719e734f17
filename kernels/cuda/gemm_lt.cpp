#include "kernels/cuda/gemm_lt.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "kernels/cuda/gemm_types.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

using lectern::cuda::check_status;
using lectern::cuda::cublas;

/// Owns what cuBLASLt's Create made, until Destroy.
template <auto Destroy, typename Handle>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (handle_ != nullptr) (cublas().lt.*Destroy)(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Handle get() const { return handle_; }
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

using lectern::cuda::CublasLt;
using Description = Owned<&CublasLt::MatmulDescDestroy, cublasLtMatmulDesc_t>;
using Layout = Owned<&CublasLt::MatrixLayoutDestroy, cublasLtMatrixLayout_t>;
using Preference = Owned<&CublasLt::MatmulPreferenceDestroy, cublasLtMatmulPreference_t>;

/// No algorithm requires more alignment than this.
constexpr std::uint32_t kMostAlignment = 256;

std::uint32_t alignment(const void* data) {
  const auto address = reinterpret_cast<std::uintptr_t>(data) | kMostAlignment;
  return std::uint32_t{1} << std::countr_zero(address);
}

/// The key for choosing an algorithm.
struct Kind {
  int device;
  Dtype a_dtype, b_dtype, out_dtype;
  cublasComputeType_t compute;
  std::int64_t rows, columns, inner;
  MatrixLayout a, b;
  std::uint32_t a_alignment, b_alignment, out_alignment;

  explicit Kind(const Gemm& product)
      : device(lectern::cuda::current_device()),
        a_dtype(product.a.dtype),
        b_dtype(product.b.dtype),
        out_dtype(product.out_dtype),
        compute(compute_type(product.a.dtype)),
        rows(product.rows),
        columns(product.columns),
        inner(product.inner),
        a(product.a.layout),
        b(product.b.layout),
        a_alignment(alignment(product.a.data)),
        b_alignment(alignment(product.b.data)),
        out_alignment(alignment(product.out)) {}

  auto all() const {
    return std::tie(device, a_dtype, b_dtype, out_dtype, compute, rows, columns, inner, a.leading,
                    a.transposed, b.leading, b.transposed, a_alignment, b_alignment, out_alignment);
  }
  friend bool operator<(const Kind& x, const Kind& y) { return x.all() < y.all(); }
};

/// cuBLASLt's description of a kind of product, and its algorithm. Immutable once made, so that all threads
/// share it.
class Plan {
 public:
  Plan(const Kind& kind, cublasLtHandle_t handle) {
    const CublasLt& lt = cublas().lt;
    check_status("cublasLtMatmulDescCreate",
                 lt.MatmulDescCreate(description_.out(), kind.compute, CUDA_R_32F));
    describe(CUBLASLT_MATMUL_DESC_TRANSA, operation(kind.b));
    describe(CUBLASLT_MATMUL_DESC_TRANSB, operation(kind.a));
    describe(first_, kind.b_dtype, kind.b, kind.inner, kind.columns);
    describe(second_, kind.a_dtype, kind.a, kind.rows, kind.inner);
    describe(out_, kind.out_dtype, {kind.columns, false}, kind.rows, kind.columns);
    choose(kind, handle);
  }

  std::size_t workspace() const { return chosen_->workspaceSize; }
  bool has_algorithm() const { return chosen_.has_value(); }

  cublasStatus_t run(const Gemm& product, cublasLtHandle_t handle, const Scratch& workspace) const {
    const float one = 1, zero = 0;
    return cublas().lt.Matmul(handle, description_.get(), &one, product.b.data, first_.get(), product.a.data,
                              second_.get(), &zero, product.out, out_.get(), product.out, out_.get(),
                              &chosen_->algo, workspace.data(), workspace.bytes(),
                              lectern::cuda::current_stream().handle());
  }

 private:
  void describe(cublasLtMatmulDescAttributes_t attribute, cublasOperation_t value) {
    const std::int32_t argument = value;
    check_status(
        "cublasLtMatmulDescSetAttribute",
        cublas().lt.MatmulDescSetAttribute(description_.get(), attribute, &argument, sizeof argument));
  }

  /// A matrix of `rows` rows of `columns` elements; a column of cuBLASLt is a contiguous run.
  static void describe(Layout& layout, Dtype dtype, const MatrixLayout& matrix, std::int64_t rows,
                       std::int64_t columns) {
    const std::int64_t run = matrix.transposed ? rows : columns;
    const std::int64_t runs = matrix.transposed ? columns : rows;
    check_status(
        "cublasLtMatrixLayoutCreate",
        cublas().lt.MatrixLayoutCreate(layout.out(), data_type(dtype), static_cast<std::uint64_t>(run),
                                       static_cast<std::uint64_t>(runs), matrix.leading));
  }

  void choose(const Kind& kind, cublasLtHandle_t handle) {
    Preference preference;
    check_status("cublasLtMatmulPreferenceCreate", cublas().lt.MatmulPreferenceCreate(preference.out()));
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      check_status(
          "cublasLtMatmulPreferenceSetAttribute",
          cublas().lt.MatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace_bytes()});
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           std::uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, kind.b_alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, kind.a_alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, kind.out_alignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, kind.out_alignment);
    cublasLtMatmulHeuristicResult_t result{};
    int found = 0;
    const cublasStatus_t status =
        cublas().lt.MatmulAlgoGetHeuristic(handle, description_.get(), first_.get(), second_.get(),
                                           out_.get(), out_.get(), preference.get(), 1, &result, &found);
    if (status == CUBLAS_STATUS_SUCCESS && found > 0 && result.state == CUBLAS_STATUS_SUCCESS)
      chosen_ = result;
  }

  Description description_;
  Layout first_, second_, out_;
  std::optional<cublasLtMatmulHeuristicResult_t> chosen_;
};

std::shared_ptr<const Plan> plan_for(const Gemm& product, cublasLtHandle_t handle) {
  /// If shapes never repeat, plans are dropped now and then.
  constexpr std::size_t kMostPlans = 1024;
  struct Plans {
    std::mutex mutex;
    std::map<Kind, std::shared_ptr<const Plan>> known;
  };
  static Plans& plans = *new Plans;  // never destroyed, since CUDA may go first

  const Kind kind(product);
  const std::lock_guard lock(plans.mutex);
  const auto known = plans.known.find(kind);
  if (known != plans.known.end()) return known->second;
  if (plans.known.size() >= kMostPlans) plans.known.clear();
  return plans.known.emplace(kind, std::make_shared<const Plan>(kind, handle)).first->second;
}

}  // namespace

bool gemm_lt(const Gemm& product) {
  auto* handle = reinterpret_cast<cublasLtHandle_t>(lectern::cuda::cublas_handle());
  const std::shared_ptr<const Plan> plan = plan_for(product, handle);
  if (!plan->has_algorithm()) return false;
  const Scratch workspace(plan->workspace());
  const cublasStatus_t status = plan->run(product, handle, workspace);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return false;
  check_status("matmul", status);
  return true;
}

}  // namespace lectern::kernels::cuda
