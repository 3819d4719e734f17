#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {
namespace {

/// where(condition, a, b) of contiguous elements, 16 bytes at a time.
template <typename T>
struct PackedWhere {
  T* out;
  std::int64_t numel;
  const bool* condition;
  PackedSource<T> a;
  PackedSource<T> b;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t packs = numel / kPacked<T>;
    for (std::int64_t i = thread; i < packs; i += threads) {
      const auto chosen = reinterpret_cast<const Pack<bool, kPacked<T>>*>(condition)[i];
      const Pack<T> left = a.pack(i), right = b.pack(i);
      Pack<T> result;
      for (int j = 0; j < kPacked<T>; ++j) {
        result.value[j] = chosen.value[j] ? left.value[j] : right.value[j];
      }
      reinterpret_cast<Pack<T>*>(out)[i] = result;
    }
    const std::int64_t rest = packs * kPacked<T> + thread;
    if (rest < numel) out[rest] = condition[rest] ? a.element(rest) : b.element(rest);
  }
};

/// Whether that was possible.
bool launch_where(Dtype common, std::span<const std::int64_t> sizes, const Array& out, const Array& condition,
                  const Array& a, const Array& b) {
  const Geometry geometry = make_geometry(sizes, out, condition, a, b);
  const bool dense = are_dense(geometry, out, condition, a, b);
  if (geometry.numel == 0 || !dense || condition.is_scalar || condition.dtype != bool_ || out.dtype != common)
    return false;
  return visit_packed_type(common, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const bool aligned = is_aligned(out.data, kPackBytes) && is_aligned(condition.data, kPacked<T>);
    if (!aligned || !PackedSource<T>::takes(a) || !PackedSource<T>::takes(b)) return false;
    launch_for(
        (geometry.numel + kPacked<T> - 1) / kPacked<T>,
        PackedWhere<T>{static_cast<T*>(out.data), geometry.numel, static_cast<const bool*>(condition.data),
                       PackedSource<T>(a), PackedSource<T>(b)});
    return true;
  });
}

}  // namespace

void apply_ternary(Ternary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                   const Array& a, const Array& b, const Array& c) {
  if (operation == Ternary::where && launch_where(common, sizes, out, a, b, c)) return;
  apply_operation(operation, common, sizes, out, a, b, c);
}

}  // namespace lectern::kernels::cuda
