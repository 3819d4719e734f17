#include "kernels/cuda/launch.h"
#include "kernels/cuda/pool_part.h"
#include "kernels/dispatch.h"
#include "kernels/math.h"
#include "kernels/max_pool.h"

namespace lectern::kernels::cuda {
namespace {

/// window_maximum() of some windows, whose elements are read side by side.
template <typename T>
struct MaxPoolKernel {
  PoolPart part;
  T* out;
  std::int64_t* indices;
  const T* in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t) const {
    constexpr int kCount = WindowGroup::kCount;
    const WindowGroup windows(part, thread);
    Compute<T> best[kCount];
    int distances[kCount];  // from the corner
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) {
      best[i] = kLowest;
      distances[i] = kNone;
    }
    LECTERN_ROLLED
    for (int r = 0, row = 0; r < part.rows.kernel(); ++r, row += part.rows.dilation()) {
      int distance = row * part.columns.length();
      LECTERN_ROLLED
      for (int c = 0, column = 0; c < part.columns.kernel(); ++c, column += part.columns.dilation()) {
        LECTERN_UNROLLED
        for (int i = 0; i < kCount; ++i) {
          if (!part.rows.has(windows.row(i) + row) || !part.columns.has(windows.column(i) + column)) continue;
          const auto value = static_cast<Compute<T>>(in[windows.corner(i) + distance]);
          const bool larger = value > best[i] || math::is_nan(value);
          if (!larger && distances[i] != kNone) continue;
          best[i] = value;
          distances[i] = distance;
        }
        distance += part.columns.dilation();
      }
    }
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) {
      if (!windows.has(i)) continue;
      const bool none = distances[i] == kNone;
      out[windows.at(i)] = none ? static_cast<T>(kLowest) : in[windows.corner(i) + distances[i]];
      const int corner = windows.row(i) * part.columns.length() + windows.column(i);
      if (indices != nullptr) indices[windows.at(i)] = none ? -1 : corner + distances[i];
    }
  }

 private:
  static constexpr int kNone = -1;
  static constexpr auto kLowest = -static_cast<Compute<T>>(__builtin_inf());
};

/// window_maximum() for any sizes.
template <typename T>
struct LongMaxPoolKernel {
  PoolSizes sizes;
  T* out;
  std::int64_t* indices;
  const T* in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.windows(); i += threads) {
      const std::int64_t plane = i / sizes.windows();
      const auto found = window_maximum(sizes, in + plane * sizes.elements(), i - plane * sizes.windows());
      out[i] = found.value;
      if (indices != nullptr) indices[i] = found.index;
    }
  }
};

/// maximum_gradient() of neighbours.
template <typename T>
struct MaxPoolGradientKernel {
  using Patches = PlanePatches<T, true, 2, kPacked<T>>;

  PoolPart part;
  Patches patches;
  const T* gradient;
  const std::int64_t* indices;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t) const {
    constexpr int kRows = Patches::kRows, kColumns = Patches::kColumns;
    if (thread >= patches.count()) return;
    const auto place = patches.place(part, static_cast<int>(thread));
    const int corner = place.row * part.columns.length() + place.column;
    Compute<T> sums[kRows][kColumns] = {};
    for (int r = place.over_rows.begin; r < place.over_rows.end; ++r) {
      const int line = place.plane * part.windows() + r * part.columns.windows();
      for (int c = place.over_columns.begin; c < place.over_columns.end; ++c) {
        const auto share = static_cast<Compute<T>>(gradient[line + c]);
        int distance = static_cast<int>(indices[line + c]) - corner;
        LECTERN_UNROLLED
        for (int k = 0; k < kRows; ++k) {
          LECTERN_UNROLLED
          for (int i = 0; i < kColumns; ++i) {
            if (distance == i) sums[k][i] += share;
          }
          distance -= part.columns.length();
        }
      }
    }
    patches.write(place, sums);
  }
};

/// maximum_gradient() for any sizes.
template <typename T>
struct LongMaxPoolGradientKernel {
  PoolSizes sizes;
  T* in_gradient;
  const T* gradient;
  const std::int64_t* indices;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.elements(); i += threads) {
      const std::int64_t plane = i / sizes.elements(), first = plane * sizes.windows();
      in_gradient[i] =
          maximum_gradient(sizes, gradient + first, indices + first, i - plane * sizes.elements());
    }
  }
};

}  // namespace

void max_pool(const PoolSizes& sizes, Dtype dtype, void* out, std::int64_t* indices, const void* in) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    auto* const to = static_cast<T*>(out);
    const auto* const from = static_cast<const T*>(in);
    const auto visit_part = [&](const PoolPart& part, std::int64_t first) {
      const std::int64_t windows = first * sizes.windows();
      WindowGroup::launch(
          part, MaxPoolKernel<T>{part, to + windows, indices == nullptr ? nullptr : indices + windows,
                                 from + first * sizes.elements()});
    };
    const bool divides = has_equal_windows(sizes) && for_each_part(sizes, false, visit_part);
    if (!divides) launch_for(sizes.planes * sizes.windows(), LongMaxPoolKernel<T>{sizes, to, indices, from});
  });
}

void max_pool_gradient(const PoolSizes& sizes, Dtype dtype, void* in_gradient, const void* gradient,
                       const std::int64_t* indices) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    auto* const to = static_cast<T*>(in_gradient);
    const auto* const from = static_cast<const T*>(gradient);
    const bool divides = for_each_part(sizes, false, [&](const PoolPart& part, std::int64_t first) {
      const std::int64_t windows = first * sizes.windows();
      const typename MaxPoolGradientKernel<T>::Patches patches(part, to + first * sizes.elements());
      launch_for(patches.count(), MaxPoolGradientKernel<T>{part, patches, from + windows, indices + windows});
    });
    if (!divides)
      launch_for(sizes.planes * sizes.elements(), LongMaxPoolGradientKernel<T>{sizes, to, from, indices});
  });
}

}  // namespace lectern::kernels::cuda
