#include "kernels/scan.h"

#include "kernels/cpu/compute_lines.h"

namespace lectern::kernels::cpu {

void scan(Scan operation, Dtype common, std::span<const std::int64_t> sizes, std::size_t dim,
          const Array& out, const Array& in, bool reverse) {
  const Lines lines = make_lines(sizes, dim, std::array{out, in});
  dispatch_compute(common, [&]<typename T>(std::type_identity<T>) {
    visit_scan<T>(operation, [&]<typename Functor>(Functor) {
      for_lines<T>(lines, std::array{out, in}, Streaming::never,
                   [&](std::int64_t, const LineTarget<T>& to, const T* from) {
                     scan_run<T, Functor>(Functor::start(), 0, lines.length, lines.length, reverse, from,
                                          [&](std::int64_t i, T value) { to.data[i] = value; });
                   });
    });
  });
}

}  // namespace lectern::kernels::cpu
