#include "kernels/channel_norm.h"

#include <array>
#include <vector>

#include "kernels/channel_norm_row.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/row_kernels.h"

namespace lectern::kernels::cpu {
namespace {

template <std::size_t kArrays>
Lines planes_of(const ChannelShape& shape, const std::array<Array, kArrays>& arrays) {
  return make_lines(std::array{shape.planes(), shape.length}, 1, arrays);
}

/// The place of the array that is written in a walk that only reads. All its planes begin at null.
Array unwritten(Dtype dtype) {
  static constexpr std::int64_t kStrides[] = {0, 1};
  return {nullptr, dtype, kStrides};
}

/// Lets a walk visit the planes of a set: neighbours at once.
template <typename Walk, typename Visit>
void visit_set(Walk& walk, const ChannelShape& shape, std::int64_t set, const Visit& visit) {
  const std::int64_t count = shape.planes_of_set();
  if (shape.kind == ChannelNorm::groups)
    return walk.visit(shape.plane(set, 0), shape.plane(set, count), visit);
  for (std::int64_t i = 0; i < count; ++i) walk.visit(shape.plane(set, i), shape.plane(set, i) + 1, visit);
}

template <typename T>
void scale_by_given(const ChannelArrays<T>& arrays, const Array& out, const Array& x) {
  const auto kernel = row_kernels().get<T>().normalize;
  for_lines<T>(planes_of(arrays.shape, std::array{out, x}), std::array{out, x}, Streaming::lines,
               [&](std::int64_t plane, const LineTarget<T>& to, const T* from) {
                 kernel(to, from, arrays.of_plane(plane), arrays.weight_of(plane), arrays.bias_of(plane),
                        arrays.shape.length);
               });
}

template <typename T>
void normalize_sets(const ChannelArrays<T>& arrays, const Array& out, const Array& x) {
  const RowKernels<T>& kernels = row_kernels().get<T>();
  const ChannelShape& shape = arrays.shape;
  const std::array read{unwritten(dtype_of<T>), x}, written{out, x};
  const Lines read_lines = planes_of(shape, read), lines = planes_of(shape, written);
  std::vector<Both<T>> moments(static_cast<std::size_t>(shape.planes()));
  parallel_ranges(shape.sets(), shape.planes() * shape.length, [&](std::int64_t begin, std::int64_t end) {
    LineWalk<2> reader(read_lines, dtype_of<T>, read, Streaming::never);
    LineWalk<2> writer(lines, dtype_of<T>, written, Streaming::lines);
    for (std::int64_t set = begin; set < end; ++set) {
      visit_set(reader, shape, set, [&](std::int64_t plane, const auto& values) {
        moments[static_cast<std::size_t>(plane)] =
            kernels.moments(reinterpret_cast<const T*>(values[1]), shape.length);
      });
      merge_moments(Alone{}, arrays, set, moments.data());
      const RowStatistics<T> found = arrays.of_set(set);
      visit_set(writer, shape, set, [&](std::int64_t plane, const auto& values) {
        kernels.normalize(writer.template target<T>(values[0]), reinterpret_cast<const T*>(values[1]), found,
                          arrays.weight_of(plane), arrays.bias_of(plane), shape.length);
      });
    }
  });
}

template <typename T>
void sum_gradients(const RowKernels<T>& kernels, const ChannelArrays<T>& arrays, std::int64_t plane,
                   const T* grad, const T* x, T* sums) {
  const Both<T> found = kernels.gradient_sums(grad, x, arrays.of_plane(plane), arrays.shape.length);
  sums[plane] = found.first;
  sums[arrays.shape.planes() + plane] = found.second;
}

template <typename T>
void given_backward(const ChannelArrays<T>& arrays, const Array& out, const Array& grad, const Array& x,
                    T* sums) {
  const RowKernels<T>& kernels = row_kernels().get<T>();
  const std::array used{out, grad, x};
  for_lines<T>(planes_of(arrays.shape, used), used, Streaming::lines,
               [&](std::int64_t plane, const LineTarget<T>& to, const T* g, const T* in) {
                 if (sums != nullptr) sum_gradients(kernels, arrays, plane, g, in, sums);
                 kernels.normalize(to, g, {0, arrays.of_plane(plane).rstd}, arrays.weight_of(plane), T(0),
                                   arrays.shape.length);
               });
}

template <typename T>
void sets_backward(const ChannelArrays<T>& arrays, const Array& out, const Array& grad, const Array& x,
                   T* sums) {
  const RowKernels<T>& kernels = row_kernels().get<T>();
  const ChannelShape& shape = arrays.shape;
  const std::array read{unwritten(dtype_of<T>), grad, x}, written{out, grad, x};
  const Lines read_lines = planes_of(shape, read), lines = planes_of(shape, written);
  parallel_ranges(shape.sets(), shape.planes() * shape.length, [&](std::int64_t begin, std::int64_t end) {
    LineWalk<3> reader(read_lines, dtype_of<T>, read, Streaming::never);
    LineWalk<3> writer(lines, dtype_of<T>, written, Streaming::lines);
    for (std::int64_t set = begin; set < end; ++set) {
      visit_set(reader, shape, set, [&](std::int64_t plane, const auto& values) {
        sum_gradients(kernels, arrays, plane, reinterpret_cast<const T*>(values[1]),
                      reinterpret_cast<const T*>(values[2]), sums);
      });
      const NormGradient<T> gradient =
          norm_gradient(arrays.of_set(set), gradient_means(Alone{}, arrays, set, sums));
      visit_set(writer, shape, set, [&](std::int64_t plane, const auto& values) {
        kernels.norm_gradient(writer.template target<T>(values[0]), reinterpret_cast<const T*>(values[1]),
                              reinterpret_cast<const T*>(values[2]), gradient, arrays.weight_of(plane),
                              shape.length);
      });
    }
  });
}

}  // namespace

void channel_norm(const ChannelShape& shape, double eps, const Array& out, const Array& x,
                  const NormParameters& parameters, const ChannelStatistics& statistics) {
  dispatch_real_compute(out.dtype, [&]<typename T>(std::type_identity<T>) {
    const ChannelArrays<T> arrays(shape, eps, parameters, statistics);
    if (shape.kind == ChannelNorm::given) return scale_by_given(arrays, out, x);
    normalize_sets(arrays, out, x);
  });
}

void channel_norm_backward(const ChannelShape& shape, double eps, const Array& out, const Array& grad,
                           const Array& x, const void* weight, const ChannelStatistics& statistics,
                           void* sums) {
  dispatch_real_compute(out.dtype, [&]<typename T>(std::type_identity<T>) {
    const ChannelArrays<T> arrays(shape, eps, {const_cast<void*>(weight), nullptr}, statistics);
    if (shape.kind == ChannelNorm::given) return given_backward(arrays, out, grad, x, static_cast<T*>(sums));
    sets_backward(arrays, out, grad, x, static_cast<T*>(sums));
  });
}

}  // namespace lectern::kernels::cpu
