#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/held_deviations.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/reduction_columns.h"
#include "kernels/cuda/reduction_differences.h"
#include "kernels/cuda/reduction_positions.h"
#include "kernels/cuda/reduction_powers.h"
#include "kernels/cuda/reduction_sources.h"
#include "kernels/cuda/scratch.h"
#include "kernels/reduction_functors.h"
#include "kernels/reductions.h"

// The kernels of kernels/reductions.h: which thread reads what, where states go.

namespace lectern::kernels::cuda {

/// Results of contiguous elements, of a dtype with its own kernels, are computed by teams, of at most
/// kBlockPart elements; kLargePart where that is enough to occupy a GPU.
inline constexpr std::int64_t kBlockPart = 8192, kLargePart = 32768;
/// Sums that are neighbours in memory: kernels/cuda/reduction_columns.h. All others by threads of kThreadPart
/// elements each; up to kThreadRow one thread computes the result.
inline constexpr std::int64_t kThreadPart = 64;
inline constexpr std::int64_t kThreadRow = 32;

/// reduce_row() of any reduction. `Step` is the functor or Merging<Functor>.
template <typename Step, typename Group, typename Row>
LECTERN_HD typename Step::State reduce_part(const Group& group, const Row& row, std::int64_t begin,
                                            std::int64_t end) {
  if constexpr (std::is_same_v<Step, SquaredDeviations<float>> &&
                std::is_same_v<typename Row::Value, float>) {
    return reduce_differences(group, row, begin, end);
  } else if constexpr (kFindsPosition<Step, Row>) {
    return reduce_position<Step>(group, row, begin, end);
  } else if constexpr (std::is_same_v<Step, LogSumExp<float>>) {
    return reduce_powers(group, row, begin, end);
  } else {
    return reduce_row<Step>(group, row, begin, end);
  }
}

/// A group per part of a result. `Step` is the functor or, for states, Merging<Functor>.
template <typename Step, typename Functor, typename Source>
struct RowKernel {
  Source source;
  Target<Functor> target;
  Geometry kept;
  std::int64_t elements;  ///< of the source, for each result
  std::int64_t part;      ///< of these, at most
  std::int64_t parts;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    const std::int64_t result = index / parts;
    const std::int64_t begin = index % parts * part;
    const std::int64_t end = elements - begin < part ? elements : begin + part;
    const auto state = reduce_part<Step>(group, source.row(kept, result), begin, end);
    if (group.rank() == 0) target.put(kept, result, index, state);
  }
};

/// A thread per part of a result, which takes every parts-th element. Neighbouring threads take neighbouring
/// elements or, unless `along`, neighbouring results.
template <typename Step, typename Functor, typename Source>
struct StepsKernel {
  Source source;
  Target<Functor> target;
  Geometry kept;
  std::int64_t elements;
  std::int64_t parts;
  bool along;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < parts * kept.numel; i += threads) {
      const std::int64_t result = along ? i / parts : i % kept.numel;
      const std::int64_t part = along ? i % parts : i / kept.numel;
      target.put(kept, result, i, reduce_steps<Step>(source.row(kept, result), part, parts, elements));
    }
  }
};

template <typename Functor>
class Reducer {
 public:
  using State = typename Functor::State;

  Reducer(const Geometry& kept, const Target<Functor>& target) : kept_(kept), target_(target) {}

  template <typename Source>
  void reduce_by_teams(const Source& source, std::int64_t elements) const {
    constexpr std::int64_t kLargeParts = 1024;
    const bool are_many = elements / kLargePart * kept_.numel >= kLargeParts;
    const std::int64_t part = are_many ? kLargePart : kBlockPart, parts = count_parts(elements, part);
    launch_parts(
        parts,
        [&](const Target<Functor>& target) {
          launch_teams(kept_.numel * parts, elements,
                       RowKernel<Functor, Functor, Source>{source, target, kept_, elements, part, parts});
        },
        [&](const State* states) {
          merge_by_blocks(StateSource<State>{states, parts, 1}, parts);
        });
  }

  template <typename Step, typename Source>
  void reduce_by_threads(const Source& source, std::int64_t elements, bool along) const {
    const std::int64_t parts = count_parts(elements, kThreadPart);
    launch_parts(
        parts,
        [&](const Target<Functor>& target) {
          launch_for(kept_.numel * parts,
                     StepsKernel<Step, Functor, Source>{source, target, kept_, elements, parts, along});
        },
        [&](const State* states) {
          reduce_by_threads<Merging<Functor>>(
              StateSource<State>{states, along ? parts : 1, along ? 1 : kept_.numel}, parts, along);
        });
  }

  /// Of elements of type T.
  template <typename T>
  void reduce_by_columns(const std::byte* data, const Geometry& reduced) const {
    const ColumnParts parts(kept_.numel / kPacked<T>, reduced.numel);
    launch_parts(
        parts.kept,
        [&](const Target<Functor>& target) {
          const ColumnsKernel<Functor, T> kernel{data, target, kept_, reduced, parts};
          launch_blocks(parts.blocks(), kernel);
        },
        [&](const State* states) {
          reduce_by_threads<Merging<Functor>>(StateSource<State>{states, 1, kept_.numel}, parts.kept, false);
        });
  }

 private:
  void merge_by_blocks(const StateSource<State>& source, std::int64_t elements) const {
    const std::int64_t parts = count_parts(elements, kBlockPart);
    launch_parts(
        parts,
        [&](const Target<Functor>& target) {
          launch_blocks(kept_.numel * parts, RowKernel<Merging<Functor>, Functor, StateSource<State>>{
                                                 source, target, kept_, elements, kBlockPart, parts});
        },
        [&](const State* states) {
          merge_by_blocks({states, parts, 1}, parts);
        });
  }

  static std::int64_t count_parts(std::int64_t elements, std::int64_t part) {
    return elements <= part ? 1 : (elements + part - 1) / part;
  }

  /// Launches into the results or, if they have several parts, into a workspace that merge() reduces.
  template <typename Launch, typename Merge>
  void launch_parts(std::int64_t parts, const Launch& launch, const Merge& merge) const {
    if (parts == 1) return launch(target_);
    const Scratch scratch(static_cast<std::size_t>(kept_.numel * parts) * sizeof(State));
    Target<Functor> target = target_;
    target.states = static_cast<State*>(scratch.data());
    launch(target);
    merge(target.states);
  }

  const Geometry& kept_;
  const Target<Functor>& target_;
};

/// Whether the elements of a result are closer together than results are.
inline bool runs_along(const ReductionGeometry& geometry) {
  if (geometry.reduced.numel <= kThreadRow) return false;
  return geometry.kept.numel == 1 || geometry.reduced.strides[0][0] <= geometry.kept.strides[0][0];
}

/// The reductions with kernels for runs of 16-bit floats, of which a thread has four packs on their way at
/// once, and, if they are sums, for columns. Others have one pack on its way, and read columns one by one.
template <typename Functor>
inline constexpr bool kIsFrequent = false;
template <>
inline constexpr bool kIsFrequent<Sum<float>> = true;
template <>
inline constexpr bool kIsFrequent<Mean<float>> = true;
template <>
inline constexpr bool kIsFrequent<Max<float>> = true;
template <>
inline constexpr bool kIsFrequent<Min<float>> = true;
template <>
inline constexpr bool kIsFrequent<LogSumExp<float>> = true;
template <>
inline constexpr bool kIsFrequent<MaxPosition<float>> = true;
template <>
inline constexpr bool kIsFrequent<MinPosition<float>> = true;

template <ComputeType C, typename Functor>
void reduce_with(const ReductionGeometry& geometry, const Array& out, const Array& in,
                 const Array* positions) {
  const std::int64_t elements = geometry.reduced.numel;
  const auto* const data = static_cast<const std::byte*>(in.data);
  const Target<Functor> target{static_cast<std::byte*>(out.data), out.dtype,
                               positions == nullptr ? nullptr : static_cast<std::byte*>(positions->data),
                               elements};
  const Reducer<Functor> reducer(geometry.kept, target);
  const bool along = runs_along(geometry);
  const auto reduce_by_columns = [&]<typename T>(std::type_identity<T>) {
    if (along || in.dtype != dtype_of<T> || !has_packed_results<T>(geometry, data)) return false;
    reducer.template reduce_by_columns<T>(data, geometry.reduced);
    return true;
  };
  const auto reduce_runs = [&]<typename T>(std::type_identity<T>) {
    if (!along || in.dtype != dtype_of<T> || geometry.reduced.rank != 1 || !is_packed<T>(geometry, data))
      return false;
    reducer.reduce_by_teams(RunSource<T>{data}, elements);
    return true;
  };
  const auto reduce_by_teams = [&]<typename T>(std::type_identity<T>) {
    reducer.reduce_by_teams(TypedSource<T>{data, geometry.reduced, is_packed<T>(geometry, data), in.dtype},
                            elements);
  };
  if constexpr (std::is_same_v<Functor, SquaredDeviations<float>>) {
    const auto reduce_held = [&]<typename T>(std::type_identity<T>) {
      return along && reduce_held_deviations<T>(geometry, in, target);
    };
    if (reduce_held(std::type_identity<float>{}) || reduce_held(std::type_identity<Half>{})) return;
    if (reduce_held(std::type_identity<BFloat16>{})) return;
  }
  if constexpr (std::is_same_v<C, float>) {
    if constexpr (kIsFrequent<Functor> && std::is_base_of_v<Sum<float>, Functor>) {
      if (reduce_by_columns(std::type_identity<float>{}) || reduce_by_columns(std::type_identity<Half>{}))
        return;
      if (reduce_by_columns(std::type_identity<BFloat16>{})) return;
    }
    if constexpr (kIsFrequent<Functor>) {
      if (reduce_runs(std::type_identity<Half>{}) || reduce_runs(std::type_identity<BFloat16>{})) return;
    }
    if (reduce_runs(std::type_identity<float>{})) return;
    if (along && in.dtype == float32) return reduce_by_teams(std::type_identity<float>{});
    if (along && (in.dtype == float16 || in.dtype == bfloat16))
      return reduce_by_teams(std::type_identity<HalfBits>{});
  }
  if constexpr (std::is_same_v<C, double>) {
    if (along && in.dtype == float64) return reduce_by_teams(std::type_identity<double>{});
  }
  reducer.template reduce_by_threads<Functor>(AnySource<C>{data, in.dtype, geometry.reduced}, elements,
                                              along);
}

/// reduce(), computed in C, for the reductions with positions or for those without; else nothing.
/// Instantiated in several files.
template <ComputeType C, bool kPositions>
void reduce_as(Reduction reduction, const ReductionGeometry& geometry, const Array& out, const Array& in,
               const Array* positions) {
  const auto reduce_table_row = [&]<typename Functor>(std::type_identity<Functor>) {
    if constexpr (kHasPosition<Functor> == kPositions) reduce_with<C, Functor>(geometry, out, in, positions);
  };
  switch (reduction) {
#define LECTERN_ROW(name, Functor, autocast)              \
  case Reduction::name:                                   \
    if constexpr (requires { typename Functor<C>; }) {    \
      reduce_table_row(std::type_identity<Functor<C>>{}); \
    }                                                     \
    return;
    LECTERN_REDUCTIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
}

#define LECTERN_REDUCE_AS(C, kPositions)                                                                  \
  template void reduce_as<C, kPositions>(Reduction, const ReductionGeometry&, const Array&, const Array&, \
                                         const Array*)
extern LECTERN_REDUCE_AS(float, false);
extern LECTERN_REDUCE_AS(double, false);
extern LECTERN_REDUCE_AS(std::int64_t, false);
extern LECTERN_REDUCE_AS(float, true);
extern LECTERN_REDUCE_AS(double, true);
extern LECTERN_REDUCE_AS(std::int64_t, true);

}  // namespace lectern::kernels::cuda
