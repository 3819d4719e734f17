#include "kernels/avg_pool.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/pool_part.h"
#include "kernels/dispatch.h"

namespace lectern::kernels::cuda {
namespace {

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
      const int count = part.rows.count(windows.row(i)) * part.columns.count(windows.column(i));
      const Compute<T> by = divisor != 0 ? divisor : static_cast<Compute<T>>(count);
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

/// mean_gradient() of neighbours. What a row of windows gives to them it gives to each row of elements.
template <typename T>
struct AvgPoolGradientKernel {
  PoolPart part;
  PackColumns<T> packs;
  Compute<T> divisor;  ///< unless 0, of all windows
  const T* gradient;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t) const {
    constexpr int kRows = PackColumns<T>::kRows, kColumns = PackColumns<T>::kColumns;
    if (thread >= packs.count()) return;
    const auto place = packs.place(part, static_cast<int>(thread));
    Compute<T> sums[kRows][kColumns] = {};
    for (int r = place.over_rows.begin; r < place.over_rows.end; ++r) {
      const int row = part.rows.begin(r), rows = part.rows.count(row);
      const T* const line = gradient + (place.plane * part.windows() + r * part.columns.windows());
      Compute<T> of_row[kColumns] = {};
      int column = part.columns.begin(place.over_columns.begin);
      for (int c = place.over_columns.begin; c < place.over_columns.end; ++c) {
        const auto count = static_cast<Compute<T>>(rows * part.columns.count(column));
        const Compute<T> share = static_cast<Compute<T>>(line[c]) / (divisor != 0 ? divisor : count);
        LECTERN_UNROLLED
        for (int i = 0; i < kColumns; ++i) {
          if (is_within(place.column + i - column, part.columns.kernel())) of_row[i] += share;
        }
        column += part.columns.stride();
      }
      LECTERN_UNROLLED
      for (int k = 0; k < kRows; ++k) {
        if (!is_within(place.row + k - row, part.rows.kernel())) continue;
        LECTERN_UNROLLED
        for (int i = 0; i < kColumns; ++i) sums[k][i] += of_row[i];
      }
    }
    packs.write(place, sums);
  }

 private:
  LECTERN_HD static bool is_within(int distance, int size) {
    return static_cast<unsigned>(distance) < static_cast<unsigned>(size);
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
    const auto fixed = static_cast<Compute<T>>(divisor.fixed);
    const bool divides =
        for_each_part(sizes, divisor.counts_padding, [&](const PoolPart& part, std::int64_t first) {
          WindowGroup::launch(part, AvgPoolKernel<T>{part, fixed, to + first * sizes.windows(),
                                                     from + first * sizes.elements()});
        });
    if (!divides) launch_for(sizes.planes * sizes.windows(), LongAvgPoolKernel<T>{sizes, divisor, to, from});
  });
}

void avg_pool_gradient(const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* in_gradient,
                       const void* gradient) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    auto* const to = static_cast<T*>(in_gradient);
    const auto* const from = static_cast<const T*>(gradient);
    const auto fixed = static_cast<Compute<T>>(divisor.fixed);
    const bool divides =
        for_each_part(sizes, divisor.counts_padding, [&](const PoolPart& part, std::int64_t first) {
          const PackColumns<T> packs(part, to + first * sizes.elements());
          launch_for(packs.count(),
                     AvgPoolGradientKernel<T>{part, packs, fixed, from + first * sizes.windows()});
        });
    if (!divides)
      launch_for(sizes.planes * sizes.elements(), LongAvgPoolGradientKernel<T>{sizes, divisor, to, from});
  });
}

}  // namespace lectern::kernels::cuda
