#include <algorithm>
#include <cmath>

#include "kernels/cuda/line_access.h"
#include "kernels/cuda/scratch.h"
#include "kernels/cumsum.h"

namespace lectern::kernels::cuda {
namespace {

/// Stores sums in a row, or nowhere.
template <ComputeType C>
struct PutInto {
  StridedRow<C> row;
  LECTERN_HD void operator()(std::int64_t i, C sum) const { row.set(i, sum); }
};
struct PutNowhere {
  template <ComputeType C>
  LECTERN_HD void operator()(std::int64_t, C) const {}
};

/// The lines, cut into parts, one thread each.
template <ComputeType C>
struct Parts {
  using Sum = typename RunningSum<C>::type;

  Lines lines;
  std::array<StridedLines<C>, 2> arrays;  ///< out, in
  std::int64_t part;                      ///< elements of one
  std::int64_t parts;                     ///< of a line
  bool reverse;
  Sum* sums;  ///< [line][part]

  template <typename Put>
  LECTERN_HD Sum run(std::int64_t i, Sum sum, const Put& put) const {
    const std::int64_t begin = i % parts * part;
    const std::int64_t end = lines.length - begin < part ? lines.length : begin + part;
    return cumsum_run<C>(sum, begin, end, lines.length, reverse, arrays[1].row(lines, i / parts), put);
  }
};

template <ComputeType C>
struct SumParts : Parts<C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < this->lines.kept.numel * this->parts; i += threads) {
      this->sums[i] = this->run(i, 0, PutNowhere{});
    }
  }
};

/// The sum before each part.
template <ComputeType C>
struct SumBefore : Parts<C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t line = thread; line < this->lines.kept.numel; line += threads) {
      typename Parts<C>::Sum before = 0;
      for (std::int64_t i = line * this->parts; i < (line + 1) * this->parts; ++i) {
        const auto of_part = this->sums[i];
        this->sums[i] = before;
        before = Add{}(before, of_part);
      }
    }
  }
};

template <ComputeType C>
struct WriteParts : Parts<C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < this->lines.kept.numel * this->parts; i += threads) {
      this->run(i, this->sums[i], PutInto<C>{this->arrays[0].row(this->lines, i / this->parts)});
    }
  }
};

}  // namespace

void cumsum(Dtype common, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
            const Array& in, bool reverse) {
  const Lines lines = make_lines(sizes, dim, std::array{out, in});
  const std::int64_t part =
      std::max<std::int64_t>(32, static_cast<std::int64_t>(std::sqrt(static_cast<double>(lines.length))));
  const std::int64_t parts = (lines.length + part - 1) / part;
  dispatch_compute(common, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const Scratch scratch(static_cast<std::size_t>(lines.kept.numel * parts) * sizeof(double));
    const Parts<C> all{lines,
                       {StridedLines<C>{static_cast<std::byte*>(out.data), out.dtype, 0},
                        StridedLines<C>{static_cast<std::byte*>(in.data), in.dtype, 1}},
                       part,
                       parts,
                       reverse,
                       static_cast<typename Parts<C>::Sum*>(scratch.data())};
    launch_for(lines.kept.numel * parts, SumParts<C>{all});
    launch_for(lines.kept.numel, SumBefore<C>{all});
    launch_for(lines.kept.numel * parts, WriteParts<C>{all});
  });
}

}  // namespace lectern::kernels::cuda
