#include <cstring>

#include "kernels/cpu/walker.h"
#include "kernels/elementwise.h"
#include "kernels/geometry.h"

namespace lectern::kernels::cpu {

bool contains_zero(std::span<const std::int64_t> sizes, const Array& array) {
  const Geometry geometry = make_geometry(sizes, array);
  return dispatch(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    bool found = false;
    Walker(geometry, 0, array.data)
        .advance(geometry.numel, [&](std::byte* first, std::int64_t stride, std::int64_t, std::int64_t run) {
          for (std::int64_t i = 0; i < run; ++i)
            found |= static_cast<bool>(element<const T>(first, stride, i) == T(0));
        });
    return found;
  });
}

}  // namespace lectern::kernels::cpu
