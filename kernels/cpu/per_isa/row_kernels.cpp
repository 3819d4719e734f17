#include "kernels/cpu/row_kernels.h"

#include "kernels/cpu/run.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

/// Calls visit(values) with those at `data` or, if it is null, with `value` repeated.
template <typename T, typename Visit>
LECTERN_HD auto with_default(const T* data, T value, const Visit& visit) {
  return data == nullptr ? visit(Repeated<T>{value}) : visit(make_run(data));
}

template <typename Functor, typename T>
void forward(const LineTarget<T>& out, const T* x, std::int64_t count) {
  Functor::forward(Alone{}, count, Written<T>{out}, make_run(x));
}

template <typename Functor, typename T>
void backward(const LineTarget<T>& out, const T* grad, const T* y, std::int64_t count) {
  Functor::backward(Alone{}, count, Written<T>{out}, make_run(grad), make_run(y));
}

template <typename T, bool kCentered>
RowStatistics<T> norm(const LineTarget<T>& out, const T* x, const T* weight, const T* bias, T eps,
                      std::int64_t count) {
  return with_default(weight, T(1), [&](auto weights) {
    return with_default(bias, T(0), [&](auto biases) {
      return norm_row<kCentered>(Alone{}, count, eps, Written<T>{out}, make_run(x), weights, biases);
    });
  });
}

template <typename T, bool kCentered>
void norm_backward(const LineTarget<T>& out, const T* grad, const T* x, const T* weight,
                   const RowStatistics<T>& statistics, std::int64_t count) {
  with_default(weight, T(1), [&](auto weights) {
    norm_backward_row<kCentered>(Alone{}, count, statistics, Written<T>{out}, make_run(grad), make_run(x),
                                 weights);
  });
}

constexpr std::int64_t kColumns = 32;

/// The sums of a few neighbouring columns over some rows. Constant column and row counts keep the sums in
/// registers; 0: known only at run time.
template <typename T, std::int64_t kCount, std::int64_t kRows>
void sum_norm_parameters(T* weight_grad, T* bias_grad, const NormRows<T>& rows, std::int64_t at,
                         std::int64_t rest = kCount) {
  const std::int64_t count = kCount > 0 ? kCount : rest;
  T weights[kColumns] = {};
  T biases[kColumns] = {};
  for (std::int64_t row = 0; row < (kRows > 0 ? kRows : rows.rows); ++row) {
    __asm__ volatile("");  // GCC would fuse two rows into one scalar loop
    const T* const grad = rows.grad + row * rows.grad_step + at;
    const T* const x = rows.x + row * rows.x_step + at;
    const RowStatistics<T> found = rows.statistics(row);
    LECTERN_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) {
      weights[i] += grad[i] * found.normalized(x[i]);
      biases[i] += grad[i];
    }
  }
  for (std::int64_t i = 0; weight_grad != nullptr && i < count; ++i) weight_grad[at + i] += weights[i];
  for (std::int64_t i = 0; bias_grad != nullptr && i < count; ++i) bias_grad[at + i] += biases[i];
}

template <typename T>
void norm_parameters(T* weight_grad, T* bias_grad, const NormRows<T>& rows, std::int64_t count) {
  const auto columns = rows.rows == kNormRowsTogether ? sum_norm_parameters<T, kColumns, kNormRowsTogether>
                                                      : sum_norm_parameters<T, kColumns, 0>;
  std::int64_t at = 0;
  for (; at + kColumns <= count; at += kColumns) columns(weight_grad, bias_grad, rows, at, kColumns);
  if (at < count) sum_norm_parameters<T, 0, 0>(weight_grad, bias_grad, rows, at, count - at);
}

template <typename T>
Both<T> plane_moments(const T* x, std::int64_t count) {
  return row_moments(Alone{}, count, make_run(x));
}

template <typename T>
void normalize_plane(const LineTarget<T>& out, const T* x, const RowStatistics<T>& statistics, T weight,
                     T bias, std::int64_t count) {
  map_row(Alone{}, count, Written<T>{out}, Normalized<T>{statistics}, make_run(x), Repeated<T>{weight},
          Repeated<T>{bias});
}

template <typename T>
Both<T> plane_gradient_sums(const T* grad, const T* x, const RowStatistics<T>& statistics,
                            std::int64_t count) {
  return gradient_sums(Alone{}, count, statistics, make_run(grad), make_run(x), Repeated<T>{1});
}

template <typename T>
void plane_gradient(const LineTarget<T>& out, const T* grad, const T* x, const NormGradient<T>& gradient,
                    T weight, std::int64_t count) {
  map_row(Alone{}, count, Written<T>{out}, gradient, make_run(grad), make_run(x), Repeated<T>{weight});
}

template <typename T>
RowLoss<T> cross_entropy(const T* x, std::int64_t target, const T* weight, const ClassRule<T>& rule,
                         std::int64_t classes) {
  return with_default(weight, T(1), [&](auto weights) {
    return cross_entropy_row(Alone{}, classes, rule, target, make_run(x), weights);
  });
}

template <typename T>
void cross_entropy_backward(const LineTarget<T>& out, const T* x, std::int64_t target, const T* weight,
                            const LogNormalizer<T>& normalizer, T scale, const ClassRule<T>& rule,
                            std::int64_t classes) {
  with_default(weight, T(1), [&](auto weights) {
    cross_entropy_backward_row(Alone{}, classes, rule, target, normalizer, scale, Written<T>{out},
                               make_run(x), weights);
  });
}

template <typename T>
constexpr RowKernels<T> table() {
#define LECTERN_ROW(name, Functor, autocast) forward<Functor, T>,
  return {.forward = {LECTERN_ROW_OPERATIONS(LECTERN_ROW)},
#undef LECTERN_ROW
#define LECTERN_ROW(name, Functor, autocast) backward<Functor, T>,
          .backward = {LECTERN_ROW_OPERATIONS(LECTERN_ROW)},
#undef LECTERN_ROW
          .layer_norm = norm<T, true>,
          .rms_norm = norm<T, false>,
          .layer_norm_backward = norm_backward<T, true>,
          .rms_norm_backward = norm_backward<T, false>,
          .norm_parameters = norm_parameters<T>,
          .moments = plane_moments<T>,
          .normalize = normalize_plane<T>,
          .gradient_sums = plane_gradient_sums<T>,
          .norm_gradient = plane_gradient<T>,
          .cross_entropy = cross_entropy<T>,
          .cross_entropy_backward = cross_entropy_backward<T>};
}

}  // namespace

constinit const RealFunctions<RowKernels> row_kernels = {table<float>(), table<double>()};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
