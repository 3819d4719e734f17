#include <algorithm>
#include <cmath>

#include "kernels/cuda/line_access.h"
#include "kernels/cuda/scratch.h"
#include "kernels/scan.h"

namespace lectern::kernels::cuda {
namespace {

/// Stores results in a row, or nowhere.
template <ComputeType C>
struct WriteRow {
  StridedRow<C> row;
  LECTERN_HD void operator()(std::int64_t i, C value) const { row.set(i, value); }
};
struct WriteNothing {
  template <ComputeType C>
  LECTERN_HD void operator()(std::int64_t, C) const {}
};

/// The lines, cut into parts, one thread each.
template <typename Functor, ComputeType C>
struct Parts {
  using State = Accumulated<C>;

  Lines lines;
  std::array<StridedLines<C>, 2> arrays;  ///< out, in
  std::int64_t part;                      ///< elements of one
  std::int64_t parts;                     ///< of a line
  bool reverse;
  State* states;  ///< [line][part]

  template <typename Write>
  LECTERN_HD State run(std::int64_t i, State state, const Write& write) const {
    const std::int64_t begin = i % parts * part;
    const std::int64_t end = lines.length - begin < part ? lines.length : begin + part;
    return scan_run<C, Functor>(state, begin, end, lines.length, reverse, arrays[1].row(lines, i / parts),
                                write);
  }
};

template <typename Functor, ComputeType C>
struct TotalParts : Parts<Functor, C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < this->lines.kept.numel * this->parts; i += threads) {
      this->states[i] = this->run(i, Functor::start(), WriteNothing{});
    }
  }
};

/// The state before each part.
template <typename Functor, ComputeType C>
struct StatesBefore : Parts<Functor, C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t line = thread; line < this->lines.kept.numel; line += threads) {
      Accumulated<C> before = Functor::start();
      for (std::int64_t i = line * this->parts; i < (line + 1) * this->parts; ++i) {
        const auto total = this->states[i];
        this->states[i] = before;
        before = Functor::merge(before, total);
      }
    }
  }
};

template <typename Functor, ComputeType C>
struct WriteParts : Parts<Functor, C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < this->lines.kept.numel * this->parts; i += threads) {
      this->run(i, this->states[i], WriteRow<C>{this->arrays[0].row(this->lines, i / this->parts)});
    }
  }
};

}  // namespace

void scan(Scan operation, Dtype common, std::span<const std::int64_t> sizes, std::size_t dim,
          const Array& out, const Array& in, bool reverse) {
  const Lines lines = make_lines(sizes, dim, std::array{out, in});
  const std::int64_t part =
      std::max<std::int64_t>(32, static_cast<std::int64_t>(std::sqrt(static_cast<double>(lines.length))));
  const std::int64_t parts = (lines.length + part - 1) / part;
  const Scratch scratch(static_cast<std::size_t>(lines.kept.numel * parts) * sizeof(double));
  dispatch_compute(common, [&]<typename C>(std::type_identity<C>) {
    visit_scan<C>(operation, [&]<typename Functor>(Functor) {
      const Parts<Functor, C> all{lines,
                                  {StridedLines<C>{static_cast<std::byte*>(out.data), out.dtype, 0},
                                   StridedLines<C>{static_cast<std::byte*>(in.data), in.dtype, 1}},
                                  part,
                                  parts,
                                  reverse,
                                  static_cast<Accumulated<C>*>(scratch.data())};
      launch_for(lines.kept.numel * parts, TotalParts<Functor, C>{all});
      launch_for(lines.kept.numel, StatesBefore<Functor, C>{all});
      launch_for(lines.kept.numel * parts, WriteParts<Functor, C>{all});
    });
  });
}

}  // namespace lectern::kernels::cuda
