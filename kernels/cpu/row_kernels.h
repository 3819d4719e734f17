#pragma once

#include <cstdint>

#include "kernels/channel_norm_row.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/line_target.h"
#include "kernels/cross_entropy_row.h"
#include "kernels/row_operations.h"

namespace lectern::kernels::cpu {

/// Rows reread for the gradients of the parameters while they are cached.
inline constexpr std::int64_t kNormRowsTogether = 4;

/// A few normalised rows, and the gradients of the results.
template <RealComputeType T>
struct NormRows {
  std::int64_t rows;
  const T* grad;
  std::int64_t grad_step;  ///< from a row to the next
  const T* x;
  std::int64_t x_step;
  const T* mean;  ///< of each row; null: 0
  const T* rstd;

  LECTERN_HD RowStatistics<T> statistics(std::int64_t row) const {
    return {mean == nullptr ? T(0) : mean[row], rstd[row]};
  }
};

/// The row algorithms (kernels/row_functors.h, norm_row.h, channel_norm_row.h,
/// cross_entropy_row.h) on contiguous values. `out`
/// must not overlap the inputs. Weights and biases may be null: 1 and 0.
template <RealComputeType T>
struct RowKernels {
  void (*forward[kRowOperations])(const LineTarget<T>& out, const T* x, std::int64_t count);
  void (*backward[kRowOperations])(const LineTarget<T>& out, const T* grad, const T* y, std::int64_t count);

  using Norm = RowStatistics<T> (*)(const LineTarget<T>& out, const T* x, const T* weight, const T* bias,
                                    T eps, std::int64_t count);
  using NormBackward = void (*)(const LineTarget<T>& out, const T* grad, const T* x, const T* weight,
                                const RowStatistics<T>& statistics, std::int64_t count);
  Norm layer_norm, rms_norm;
  NormBackward layer_norm_backward, rms_norm_backward;
  /// Adds `rows` rows' contribution to the gradients of weight (grad * normalized x) and bias (grad); either
  /// may be null. The rows are summed first.
  void (*norm_parameters)(T* weight_grad, T* bias_grad, const NormRows<T>& rows, std::int64_t count);

  // Of one plane (kernels/channel_norm_row.h), with one weight and bias.
  Both<T> (*moments)(const T* x, std::int64_t count);
  void (*normalize)(const LineTarget<T>& out, const T* x, const RowStatistics<T>& statistics, T weight,
                    T bias, std::int64_t count);
  Both<T> (*gradient_sums)(const T* grad, const T* x, const RowStatistics<T>& statistics, std::int64_t count);
  void (*norm_gradient)(const LineTarget<T>& out, const T* grad, const T* x, const NormGradient<T>& gradient,
                        T weight, std::int64_t count);

  RowLoss<T> (*cross_entropy)(const T* x, std::int64_t target, const T* weight, const ClassRule<T>& rule,
                              std::int64_t classes);
  void (*cross_entropy_backward)(const LineTarget<T>& out, const T* x, std::int64_t target, const T* weight,
                                 const LogNormalizer<T>& normalizer, T scale, const ClassRule<T>& rule,
                                 std::int64_t classes);
};

LECTERN_PER_ISA(RealFunctions<RowKernels>, row_kernels)

}  // namespace lectern::kernels::cpu
