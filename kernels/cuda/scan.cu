#include <algorithm>
#include <array>
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

/// The lines, cut into parts.
template <typename Functor, ComputeType C>
struct Parts {
  using State = Accumulated<C>;

  Lines lines;
  std::array<StridedLines<C>, 2> arrays;  ///< out, in
  bool reverse;
  std::int64_t part = 0;    ///< elements of one
  std::int64_t parts = 0;   ///< of a line
  State* states = nullptr;  ///< those of the parts, if there are several

  /// Of all lines.
  LECTERN_HD std::int64_t count() const { return lines.kept.numel * parts; }
  /// Where a part begins and ends, in the order of the scan.
  LECTERN_HD std::int64_t begin(std::int64_t number) const { return number * part; }
  LECTERN_HD std::int64_t end(std::int64_t number) const {
    return lines.length - begin(number) < part ? lines.length : begin(number) + part;
  }
};

/// Parts of which a thread has one each: of short lines or, neighbouring threads, of lines that lie across.
template <typename Functor, ComputeType C>
struct ThreadParts : Parts<Functor, C> {
  using State = Accumulated<C>;

  template <typename Write>
  LECTERN_HD State run(std::int64_t i, State state, const Write& write) const {
    const std::int64_t line = i % this->lines.kept.numel, number = i / this->lines.kept.numel;
    return scan_run<C, Functor>(state, this->begin(number), this->end(number), this->lines.length,
                                this->reverse, this->arrays[1].row(this->lines, line), write);
  }
};

template <typename Functor, ComputeType C>
struct TotalParts : ThreadParts<Functor, C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < this->count(); i += threads)
      this->states[i] = this->run(i, Functor::start(), WriteNothing{});
  }
};

/// The state before each part.
template <typename Functor, ComputeType C>
struct StatesBefore : ThreadParts<Functor, C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t lines = this->lines.kept.numel;
    for (std::int64_t line = thread; line < lines; line += threads) {
      Accumulated<C> before = Functor::start();
      for (std::int64_t i = line; i < this->count(); i += lines) {
        const auto total = this->states[i];
        this->states[i] = before;
        before = Functor::merge(before, total);
      }
    }
  }
};

template <typename Functor, ComputeType C>
struct WriteParts : ThreadParts<Functor, C> {
  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < this->count(); i += threads) {
      const auto before = this->parts == 1 ? Functor::start() : this->states[i];
      this->run(i, before, WriteRow<C>{this->arrays[0].row(this->lines, i % this->lines.kept.numel)});
    }
  }
};

/// Parts of which a group has one each: of it kTaken neighbours a thread at a time.
template <typename Functor, ComputeType C>
struct GroupParts : Parts<Functor, C> {
  using State = Accumulated<C>;
  static constexpr int kTaken = 4;

 protected:
  /// A line of an array in the order of the scan.
  LECTERN_HD StridedRow<C> row(std::size_t array, std::int64_t line) const {
    StridedRow<C> row = this->arrays[array].row(this->lines, line);
    if (this->reverse) {
      row.data += (this->lines.length - 1) * row.step;
      row.step = -row.step;
    }
    return row;
  }
  /// The elements from `first` on; beyond the end start(), which changes nothing.
  LECTERN_HD static void read(const StridedRow<C>& row, std::int64_t first, std::int64_t end,
                              State (&values)[kTaken]) {
    const std::byte* const from = row.data + first * row.step;
    const int count = count_from(first, end);
    dispatch(row.dtype, [&]<typename T>(std::type_identity<T>) {
      LECTERN_UNROLLED
      for (int i = 0; i < kTaken; ++i) {
        values[i] = Functor::start();
        if (i < count) {
          const T read = *reinterpret_cast<const T*>(from + i * row.step);
          values[i] = static_cast<State>(convert_number<C>(read));
        }
      }
    });
  }
  LECTERN_HD static void write(const StridedRow<C>& row, std::int64_t first, std::int64_t end,
                               const State (&values)[kTaken]) {
    std::byte* const to = row.data + first * row.step;
    const int count = count_from(first, end);
    dispatch(row.dtype, [&]<typename T>(std::type_identity<T>) {
      LECTERN_UNROLLED
      for (int i = 0; i < kTaken; ++i) {
        if (i < count)
          *reinterpret_cast<T*>(to + i * row.step) = convert_number<T>(static_cast<C>(values[i]));
      }
    });
  }

 private:
  LECTERN_HD static int count_from(std::int64_t first, std::int64_t end) {
    return static_cast<int>(end - first < kTaken ? end - first : kTaken);
  }
};

template <typename Functor, ComputeType C>
struct TotalByGroups : GroupParts<Functor, C> {
  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    constexpr int kTaken = GroupParts<Functor, C>::kTaken;
    const auto row = this->row(1, index / this->parts);
    const std::int64_t number = index % this->parts, end = this->end(number);
    Accumulated<C> total = Functor::start();
    for (std::int64_t first = this->begin(number) + group.rank() * kTaken; first < end;
         first += group.size() * kTaken) {
      Accumulated<C> values[kTaken];
      this->read(row, first, end, values);
      LECTERN_UNROLLED
      for (int i = 0; i < kTaken; ++i) total = Functor::merge(total, values[i]);
    }
    total = group.reduce(total, MergeStates<Functor>{});
    if (group.rank() == 0) this->states[index] = total;
  }
};

template <typename Functor, ComputeType C>
struct WriteByGroups : GroupParts<Functor, C> {
  using State = Accumulated<C>;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    constexpr int kTaken = GroupParts<Functor, C>::kTaken;
    const std::int64_t line = index / this->parts, number = index % this->parts, end = this->end(number);
    const auto in = this->row(1, line), out = this->row(0, line);
    State before = this->before(group, line, number);
    for (std::int64_t of_group = this->begin(number); of_group < end; of_group += group.size() * kTaken) {
      const std::int64_t first = of_group + group.rank() * kTaken;
      State values[kTaken];
      this->read(in, first, end, values);
      LECTERN_UNROLLED
      for (int i = 1; i < kTaken; ++i) values[i] = Functor::merge(values[i - 1], values[i]);
      const auto scanned = group.scan(values[kTaken - 1], Functor::start(), MergeStates<Functor>{});
      const State before_first = Functor::merge(before, scanned.before);
      LECTERN_UNROLLED
      for (int i = 0; i < kTaken; ++i) values[i] = Functor::merge(before_first, values[i]);
      this->write(out, first, end, values);
      before = Functor::merge(before, scanned.all);
    }
  }

 private:
  /// Of the parts before one.
  template <typename Group>
  LECTERN_HD State before(const Group& group, std::int64_t line, std::int64_t number) const {
    if (this->parts == 1) return Functor::start();
    State state = Functor::start();
    for (std::int64_t i = group.rank(); i < number; i += group.size())
      state = Functor::merge(state, this->states[line * this->parts + i]);
    return group.reduce(state, MergeStates<Functor>{});
  }
};

/// Whether groups scan: several times as many merges as threads, for which long ones are too long.
template <typename Functor>
constexpr bool kMergesFast = true;
template <RealComputeType T>
constexpr bool kMergesFast<LogSum<T>> = false;

/// Lines up to kShortLine elements, and lines that lie across, are scanned by threads, of parts of so many or
/// more; others by a warp, or in parts of kGroupPart elements or more by blocks. There are about kThreads or
/// kGroups of these if there are as many parts.
constexpr std::int64_t kShortLine = 32, kGroupPart = 8192;
constexpr std::int64_t kThreads = std::int64_t{1} << 18, kGroups = 1024;

/// Cuts the lines into about `wanted` parts, or fewer, of at least `least` elements; `most` of a line.
template <typename Functor, ComputeType C>
void cut(Parts<Functor, C>& all, std::int64_t wanted, std::int64_t least, std::int64_t most) {
  const std::int64_t length = all.lines.length;
  const std::int64_t fewest = std::max<std::int64_t>(1, std::min(most, length / least));
  all.parts = std::clamp(wanted / all.lines.kept.numel, std::int64_t{1}, fewest);
  all.part = (length + all.parts - 1) / all.parts;
  all.parts = (length + all.part - 1) / all.part;
}

/// One after the other a thread takes the totals of a line's parts: no more of them than a part has elements.
template <typename Functor, ComputeType C>
void scan_by_threads(ThreadParts<Functor, C> all) {
  const std::int64_t most = std::llround(std::sqrt(static_cast<double>(all.lines.length)));
  cut(all, kThreads, kShortLine, most);
  const Scratch scratch(static_cast<std::size_t>(all.count()) * sizeof(*all.states));
  all.states = static_cast<Accumulated<C>*>(scratch.data());
  if (all.parts > 1) {
    launch_for(all.count(), TotalParts<Functor, C>{all});
    launch_for(all.lines.kept.numel, StatesBefore<Functor, C>{all});
  }
  launch_for(all.count(), WriteParts<Functor, C>{all});
}

template <typename Functor, ComputeType C>
void scan_by_groups(GroupParts<Functor, C> all) {
  cut(all, kGroups, kGroupPart, kGroups);
  const Scratch scratch(static_cast<std::size_t>(all.count()) * sizeof(*all.states));
  all.states = static_cast<Accumulated<C>*>(scratch.data());
  if (all.parts > 1) launch_blocks(all.count(), TotalByGroups<Functor, C>{all});
  if (all.lines.length <= kWarpRow) {
    launch_groups<kWarpThreads>(all.count(), WriteByGroups<Functor, C>{all});
  } else {
    launch_blocks(all.count(), WriteByGroups<Functor, C>{all});
  }
}

}  // namespace

void scan(Scan operation, Dtype common, std::span<const std::int64_t> sizes, std::size_t dim,
          const Array& out, const Array& in, bool reverse) {
  const Lines lines = make_lines(sizes, dim, std::array{out, in});
  if (lines.kept.numel == 0 || lines.length == 0) return;
  const bool lie_across = lines.kept.numel > 1 && lines.kept.strides[1][0] < lines.step[1];
  dispatch_compute(common, [&]<typename C>(std::type_identity<C>) {
    visit_scan<C>(operation, [&]<typename Functor>(Functor) {
      const Parts<Functor, C> all{.lines = lines,
                                  .arrays = {StridedLines<C>{static_cast<std::byte*>(out.data), out.dtype, 0},
                                             StridedLines<C>{static_cast<std::byte*>(in.data), in.dtype, 1}},
                                  .reverse = reverse};
      if constexpr (kMergesFast<Functor>) {
        if (!lie_across && lines.length > kShortLine) return scan_by_groups(GroupParts<Functor, C>{all});
      }
      scan_by_threads(ThreadParts<Functor, C>{all});
    });
  });
}

}  // namespace lectern::kernels::cuda
