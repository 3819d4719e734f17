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
  Epilogue epilogue;
  std::uint32_t vector_alignment;

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
        out_alignment(alignment(product.out)),
        epilogue(product.epilogue),
        vector_alignment(alignment(product.vector)) {}

  auto all() const {
    return std::tie(device, a_dtype, b_dtype, out_dtype, compute, rows, columns, inner, a.leading,
                    a.transposed, b.leading, b.transposed, a_alignment, b_alignment, out_alignment, epilogue,
                    vector_alignment);
  }
  friend bool operator<(const Kind& x, const Kind& y) { return x.all() < y.all(); }
};

/// In the transposed product the result's columns are rows, to which a bias belongs, and a is the right
/// operand B, which BGRADB sums over what the product sums over.
std::uint32_t epilogue_of(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::row_sums:
      return CUBLASLT_EPILOGUE_BGRADB;
    default:
      return CUBLASLT_EPILOGUE_DEFAULT;
  }
}

void set_operations(const Description& description, const Kind& kind, const void* vector) {
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    check_status("cublasLtMatmulDescSetAttribute",
                 cublas().lt.MatmulDescSetAttribute(description.get(), attribute, &value, sizeof value));
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{operation(kind.b)});
  set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{operation(kind.a)});
  if (kind.epilogue == Epilogue::none) return;
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(kind.epilogue));
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector);
}

/// cuBLASLt's description of a kind of product, and its algorithm. Immutable once made, so that all threads
/// share it.
class Plan {
 public:
  Plan(const Kind& kind, const void* vector, cublasLtHandle_t handle) : kind_(kind) {
    make(description_, vector);
    describe(first_, kind.b_dtype, kind.b, kind.inner, kind.columns);
    describe(second_, kind.a_dtype, kind.a, kind.rows, kind.inner);
    describe(out_, kind.out_dtype, {kind.columns, false}, kind.rows, kind.columns);
    choose(kind, handle);
  }

  std::size_t workspace() const { return chosen_->workspaceSize; }
  bool has_algorithm() const { return chosen_.has_value(); }

  cublasStatus_t run(const Gemm& product, cublasLtHandle_t handle, const Scratch& workspace) const {
    Description with_vector;
    if (product.epilogue != Epilogue::none) make(with_vector, product.vector);
    const Description& description = product.epilogue == Epilogue::none ? description_ : with_vector;
    const float one = 1, kept = product.accumulates ? 1 : 0;
    return cublas().lt.Matmul(handle, description.get(), &one, product.b.data, first_.get(), product.a.data,
                              second_.get(), &kept, product.out, out_.get(), product.out, out_.get(),
                              &chosen_->algo, workspace.data(), workspace.bytes(),
                              lectern::cuda::current_stream().handle());
  }

 private:
  void make(Description& description, const void* vector) const {
    check_status("cublasLtMatmulDescCreate",
                 cublas().lt.MatmulDescCreate(description.out(), kind_.compute, CUDA_R_32F));
    set_operations(description, kind_, vector);
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

  Kind kind_;
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
  return plans.known.emplace(kind, std::make_shared<const Plan>(kind, product.vector, handle)).first->second;
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
