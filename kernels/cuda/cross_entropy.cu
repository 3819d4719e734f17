#include <limits>

#include "kernels/class_lines.h"
#include "kernels/cross_entropy.h"
#include "kernels/cross_entropy_row.h"
#include "kernels/cuda/line_access.h"

namespace lectern::kernels::cuda {
namespace {

/// A thread that holds its part of a row has all of it on its way at once, before it knows the target, and
/// computes each exponential once. Longer rows, such as those of large vocabularies, are read in batches, one
/// after the other.
constexpr LineUse kUse{.rows = 1, .holds_long = false};

template <typename Source>
struct ForwardKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  std::array<Source, 1> logits;
  ClassTargets<C> targets;
  ClassRule<C> rule;
  C* losses;
  LogNormalizer<C>* normalizers;
  C* weights;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const SharedRow<C, Source::Row::kChunk> weight{targets.weight, 1};
    const RowLoss<C> found = cross_entropy_row(group, targets.classes, rule, targets.targets[line],
                                               logits[0].input(group, lines, line), weight);
    if (group.rank() != 0) return;
    losses[line] = found.loss;
    normalizers[line] = found.normalizer;
    weights[line] = found.weight;
  }
};

template <typename Source>
struct BackwardKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  std::array<Source, 2> arrays;  ///< out, logits
  ClassTargets<C> targets;
  ClassRule<C> rule;
  const LogNormalizer<C>* normalizers;
  LineScales<C> scale;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const SharedRow<C, Source::Row::kChunk> weight{targets.weight, 1};
    cross_entropy_backward_row(group, targets.classes, rule, targets.targets[line], normalizers[line],
                               scale(line), arrays[0].row(lines, line), arrays[1].input(group, lines, line),
                               weight);
  }
};

template <ComputeType C>
struct NllKernel {
  Lines lines;
  StridedLines<C> log_probs;
  ClassTargets<C> targets;
  C* losses;
  C* weights;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t line = thread; line < lines.kept.numel; line += threads) {
      C loss = 0, weight = 0;
      if (!targets.is_ignored(line)) {
        if (targets.is_class(line)) {
          weight = targets.target_weight(line);
          loss = -log_probs.row(lines, line)[targets.targets[line]] * weight;
        } else {
          loss = weight = std::numeric_limits<C>::quiet_NaN();
        }
      }
      losses[line] = loss;
      weights[line] = weight;
    }
  }
};

template <ComputeType C>
struct NllBackwardKernel {
  Lines lines;
  StridedLines<C> out;
  ClassTargets<C> targets;
  LineScales<C> scale;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t line = thread; line < lines.kept.numel; line += threads) {
      if (targets.is_ignored(line) || !targets.is_class(line)) continue;
      out.row(lines, line).set(targets.targets[line], -targets.target_weight(line) * scale(line));
    }
  }
};

}  // namespace

void cross_entropy(const ClassLines& lines, void* losses, void* normalizers, void* weights) {
  const Dtype common = compute_dtype(lines.logits.dtype);
  const Lines geometry = logit_lines(lines, losses, common);
  with_lines(geometry, common, std::array{lines.logits}, 1,
             [&]<typename Source>(const std::array<Source, 1>& sources) {
               using C = typename Source::Row::Value;
               launch_lines<Source, kUse>(
                   geometry, 1,
                   ForwardKernel<Source>{geometry, sources, ClassTargets<C>(lines),
                                         ClassRule<C>{lines.ignored, static_cast<C>(lines.smoothing)},
                                         static_cast<C*>(losses), static_cast<LogNormalizer<C>*>(normalizers),
                                         static_cast<C*>(weights)});
             });
}

void cross_entropy_backward(const ClassLines& lines, const Array& out, const void* normalizers,
                            const ClassScales& scales) {
  const std::array arrays{out, lines.logits};
  const Lines geometry = make_lines(lines.sizes, lines.dim, arrays);
  with_lines(
      geometry, lines.logits.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
        using C = typename Source::Row::Value;
        launch_lines<Source, kUse>(
            geometry, 1,
            BackwardKernel<Source>{geometry, sources, ClassTargets<C>(lines),
                                   ClassRule<C>{lines.ignored, static_cast<C>(lines.smoothing)},
                                   static_cast<const LogNormalizer<C>*>(normalizers), LineScales<C>(scales)});
      });
}

void nll_loss(const ClassLines& lines, void* losses, void* weights) {
  dispatch_real_compute(lines.logits.dtype, [&]<typename C>(std::type_identity<C>) {
    const Lines geometry = logit_lines(lines, losses, dtype_of<C>);
    const Array& logits = lines.logits;
    launch_for(geometry.kept.numel, NllKernel<C>{geometry,
                                                 {static_cast<std::byte*>(logits.data), logits.dtype, 1},
                                                 ClassTargets<C>(lines),
                                                 static_cast<C*>(losses),
                                                 static_cast<C*>(weights)});
  });
}

void nll_loss_backward(const ClassLines& lines, const Array& out, const ClassScales& scales) {
  dispatch_real_compute(out.dtype, [&]<typename C>(std::type_identity<C>) {
    const Lines geometry = make_lines(lines.sizes, lines.dim, std::array{out});
    launch_for(geometry.kept.numel, NllBackwardKernel<C>{geometry,
                                                         {static_cast<std::byte*>(out.data), out.dtype, 0},
                                                         ClassTargets<C>(lines),
                                                         LineScales<C>(scales)});
  });
}

}  // namespace lectern::kernels::cuda
