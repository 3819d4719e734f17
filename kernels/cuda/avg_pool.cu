#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/avg_pool.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/pool_part.h"
#include "kernels/dispatch.h"
#include "kernels/math.h"

namespace lectern::kernels::cuda {
namespace {

/// Of all windows of a part: what the sum of each is divided by; 0 if that differs.
std::int64_t divisor_of_each(const PoolPart& part, PoolDivisor divisor) {
  if (divisor.fixed != 0) return divisor.fixed;
  return std::int64_t{part.rows.count_of_each()} * part.columns.count_of_each();
}

/// window_mean() of some windows, whose elements are read side by side.
template <typename T>
struct AvgPoolKernel {
  PoolPart part;
  Compute<T> divisor;  ///< unless 0, of all windows
  T* out;
  const T* in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t) const {
    constexpr int kCount = WindowGroup::kCount;
    const WindowGroup windows(part, thread);
    Compute<T> sums[kCount] = {};
    LECTERN_ROLLED
    for (int c = 0; c < part.columns.kernel(); ++c) {
      Compute<T> of_column[kCount] = {};
      int distance = c;
      LECTERN_ROLLED
      for (int r = 0; r < part.rows.kernel(); ++r) {
        T read[kCount] = {};
        LECTERN_UNROLLED
        for (int i = 0; i < kCount; ++i) {
          if (part.rows.has(windows.row(i) + r) && part.columns.has(windows.column(i) + c))
            read[i] = in[windows.corner(i) + distance];
        }
        LECTERN_UNROLLED
        for (int i = 0; i < kCount; ++i) of_column[i] += static_cast<Compute<T>>(read[i]);
        distance += part.columns.length();
      }
      LECTERN_UNROLLED
      for (int i = 0; i < kCount; ++i) sums[i] += of_column[i];
    }
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) {
      const ShortRange rows{windows.row(i), windows.row(i) + part.rows.kernel()};
      const ShortRange columns{windows.column(i), windows.column(i) + part.columns.kernel()};
      const auto count = static_cast<Compute<T>>(part.rows.count(rows) * part.columns.count(columns));
      const Compute<T> by = divisor != 0 ? divisor : count;
      if (windows.has(i)) out[windows.at(i)] = static_cast<T>(sums[i] / by);
    }
  }
};

/// window_mean() for any sizes.
template <typename T>
struct LongAvgPoolKernel {
  PoolSizes sizes;
  PoolDivisor divisor;
  T* out;
  const T* in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.windows(); i += threads) {
      const std::int64_t plane = i / sizes.windows();
      out[i] = window_mean(sizes, divisor, in + plane * sizes.elements(), i - plane * sizes.windows());
    }
  }
};

/// x / divisor, as rounded as a division but near the smallest numbers: the quotient by the reciprocal, and
/// what its remainder adds (Markstein 1990, "Computation of elementary functions on the IBM RISC System/6000
/// processor").
template <RealComputeType C>
struct Quotient {
  C divisor;  ///< a whole number; 0: unknown
  C reciprocal = 1 / divisor;

  LECTERN_HD C operator()(C x) const {
    const C quotient = x * reciprocal;
    const C exact = math::fma(math::fma(-quotient, divisor, x), reciprocal, quotient);
    return math::abs(quotient) < std::numeric_limits<C>::infinity() ? exact : quotient;
  }
};

/// mean_gradient() of neighbours. What a row of windows gives to them it gives to each row of elements.
template <typename T, bool kAdaptive>
struct AvgPoolGradientKernel {
  using Patches = PlanePatches<T, kAdaptive, kPacked<T>, std::min(4, kPacked<T>)>;

  PoolPart part;
  Patches patches;
  Quotient<Compute<T>> of_each;  ///< of all windows, unless the divisor is 0
  const T* gradient;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t) const {
    constexpr int kRows = Patches::kRows, kColumns = Patches::kColumns;
    if (thread >= patches.count()) return;
    const auto place = patches.place(part, static_cast<int>(thread));
    Compute<T> sums[kRows][kColumns] = {};
    LECTERN_ROLLED
    for (int r = place.over_rows.begin; r < place.over_rows.end; ++r) {
      const ShortRange rows = part.rows.elements<kAdaptive>(r);
      const int line = place.plane * part.windows() + r * part.columns.windows();
      Compute<T> of_row[kColumns] = {};
      LECTERN_ROLLED
      for (int c = place.over_columns.begin; c < place.over_columns.end; ++c) {
        const ShortRange columns = part.columns.elements<kAdaptive>(c);
        const Compute<T> share = share_of(static_cast<Compute<T>>(gradient[line + c]), rows, columns);
        LECTERN_UNROLLED
        for (int i = 0; i < kColumns; ++i) {
          if (columns.has(place.column + i)) of_row[i] += share;
        }
      }
      LECTERN_UNROLLED
      for (int k = 0; k < kRows; ++k) {
        if (!rows.has(place.row + k)) continue;
        LECTERN_UNROLLED
        for (int i = 0; i < kColumns; ++i) sums[k][i] += of_row[i];
      }
    }
    patches.write(place, sums);
  }

 private:
  LECTERN_HD Compute<T> share_of(Compute<T> of_window, const ShortRange& rows,
                                 const ShortRange& columns) const {
    if (of_each.divisor != 0) return of_each(of_window);
    return of_window / static_cast<Compute<T>>(part.rows.count(rows) * part.columns.count(columns));
  }
};

/// mean_gradient() for any sizes.
template <typename T>
struct LongAvgPoolGradientKernel {
  PoolSizes sizes;
  PoolDivisor divisor;
  T* in_gradient;
  const T* gradient;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.elements(); i += threads) {
      const std::int64_t plane = i / sizes.elements();
      in_gradient[i] =
          mean_gradient(sizes, divisor, gradient + plane * sizes.windows(), i - plane * sizes.elements());
    }
  }
};

}  // namespace

void avg_pool(const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* out, const void* in) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    auto* const to = static_cast<T*>(out);
    const auto* const from = static_cast<const T*>(in);
    const auto visit_part = [&](const PoolPart& part, std::int64_t first) {
      const auto of_each = static_cast<Compute<T>>(divisor_of_each(part, divisor));
      WindowGroup::launch(part, AvgPoolKernel<T>{part, of_each, to + first * sizes.windows(),
                                                 from + first * sizes.elements()});
    };
    const bool divides = has_equal_windows(sizes) && for_each_part(sizes, divisor.counts_padding, visit_part);
    if (!divides) launch_for(sizes.planes * sizes.windows(), LongAvgPoolKernel<T>{sizes, divisor, to, from});
  });
}

void avg_pool_gradient(const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* in_gradient,
                       const void* gradient) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    auto* const to = static_cast<T*>(in_gradient);
    const auto* const from = static_cast<const T*>(gradient);
    const auto launch_parts = [&]<bool kAdaptive>(std::bool_constant<kAdaptive>) {
      return for_each_part(sizes, divisor.counts_padding, [&](const PoolPart& part, std::int64_t first) {
        using Kernel = AvgPoolGradientKernel<T, kAdaptive>;
        const typename Kernel::Patches patches(part, to + first * sizes.elements());
        const auto of_each = static_cast<Compute<T>>(divisor_of_each(part, divisor));
        launch_for(patches.count(), Kernel{part, patches, {of_each}, from + first * sizes.windows()});
      });
    };
    const bool divides =
        has_equal_windows(sizes) ? launch_parts(std::false_type{}) : launch_parts(std::true_type{});
    if (!divides)
      launch_for(sizes.planes * sizes.elements(), LongAvgPoolGradientKernel<T>{sizes, divisor, to, from});
  });
}

}  // namespace lectern::kernels::cuda
