#include "kernels/norms.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/row_kernels.h"

namespace lectern::kernels {
namespace {

/// Rows whose gradients are added up one after the other before they are added to a part.
constexpr std::int64_t kRowsOfRun = 16;
constexpr std::int64_t kMostParts = 32;

template <typename T>
RowStatistics<T> statistics_of(const NormStatistics& statistics, std::int64_t row) {
  const auto* const mean = static_cast<const T*>(statistics.mean);
  return {mean == nullptr ? T(0) : mean[row], static_cast<const T*>(statistics.rstd)[row]};
}

template <std::size_t kArrays>
Lines rows_of(const NormShape& shape, const std::array<Array, kArrays>& arrays) {
  return make_lines(std::array{shape.rows, shape.length}, 1, arrays);
}

/// The partial sums of the gradients of weight and bias that one part of the rows makes.
template <typename T>
class ParameterSums {
 public:
  ParameterSums(const RowKernels<T>& kernels, const NormParameters& gradients, std::int64_t length)
      : kernels_(kernels),
        gradients_(gradients),
        length_(length),
        run_(static_cast<std::size_t>(2 * length)) {}

  bool wanted() const { return gradients_.weight != nullptr || gradients_.bias != nullptr; }

  void start(std::int64_t part) {
    weight_ = begin_part(gradients_.weight, part);
    bias_ = begin_part(gradients_.bias, part);
  }
  void add_row(const T* grad, const T* x, const RowStatistics<T>& statistics) {
    kernels_.norm_parameters(run_.data(), bias_ == nullptr ? nullptr : run_.data() + length_, grad, x,
                             statistics, length_);
    if (++rows_ == kRowsOfRun) finish();
  }
  void finish() {
    if (weight_ != nullptr) kernels_.add(weight_, run_.data(), length_);
    if (bias_ != nullptr) kernels_.add(bias_, run_.data() + length_, length_);
    std::fill(run_.begin(), run_.end(), T(0));
    rows_ = 0;
  }

 private:
  T* begin_part(void* parts, std::int64_t part) const {
    if (parts == nullptr) return nullptr;
    T* const sums = static_cast<T*>(parts) + part * length_;
    std::fill_n(sums, length_, T(0));
    return sums;
  }

  const RowKernels<T>& kernels_;
  const NormParameters& gradients_;
  std::int64_t length_;
  std::vector<T> run_;  ///< of weight, then of bias
  std::int64_t rows_ = 0;
  T* weight_ = nullptr;
  T* bias_ = nullptr;
};

}  // namespace

void norm(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
          const NormParameters& parameters, const NormStatistics& statistics) {
  const Lines lines = rows_of(shape, std::array{out, x});
  dispatch_real_compute(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const RowKernels<T>& kernels = row_family().of<T>();
    const auto kernel = kind == Norm::layer ? kernels.layer_norm : kernels.rms_norm;
    for_lines<T>(lines, std::array{LineArray{out, true}, LineArray{x}},
                 [&](std::int64_t row, T* to, const T* from) {
                   const RowStatistics<T> found =
                       kernel(to, from, static_cast<const T*>(parameters.weight),
                              static_cast<const T*>(parameters.bias), static_cast<T>(eps), shape.length);
                   if (statistics.mean != nullptr) static_cast<T*>(statistics.mean)[row] = found.mean;
                   static_cast<T*>(statistics.rstd)[row] = found.rstd;
                 });
  });
}

std::int64_t norm_gradient_parts(const NormShape& shape) {
  return std::clamp<std::int64_t>(shape.rows / kRowsOfRun, 1, kMostParts);
}

void norm_backward(Norm kind, const NormShape& shape, const Array& out, const Array& grad, const Array& x,
                   const void* weight, const NormStatistics& statistics, const NormParameters& gradients) {
  const Lines lines = rows_of(shape, std::array{out, grad, x});
  const std::int64_t parts = norm_gradient_parts(shape);
  dispatch_real_compute(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const RowKernels<T>& kernels = row_family().of<T>();
    const auto kernel = kind == Norm::layer ? kernels.layer_norm_backward : kernels.rms_norm_backward;
    const std::array arrays{LineArray{out, true}, LineArray{grad}, LineArray{x}};
    parallel_ranges(parts, shape.rows * shape.length, [&](std::int64_t begin, std::int64_t end) {
      LineWalk<3> walk(lines, dtype_of<T>, arrays);
      ParameterSums<T> sums(kernels, gradients, shape.length);
      for (std::int64_t part = begin; part < end; ++part) {
        sums.start(part);
        walk.visit(part * shape.rows / parts, (part + 1) * shape.rows / parts,
                   [&](std::int64_t row, const std::array<std::byte*, 3>& numbers) {
                     const auto* const grads = reinterpret_cast<const T*>(numbers[1]);
                     const auto* const from = reinterpret_cast<const T*>(numbers[2]);
                     const auto of_row = statistics_of<T>(statistics, row);
                     kernel(reinterpret_cast<T*>(numbers[0]), grads, from, static_cast<const T*>(weight),
                            of_row, shape.length);
                     if (sums.wanted()) sums.add_row(grads, from, of_row);
                   });
        sums.finish();
      }
    });
  });
}

}  // namespace lectern::kernels
