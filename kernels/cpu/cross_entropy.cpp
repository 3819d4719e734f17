#include "kernels/cross_entropy.h"

#include <algorithm>
#include <vector>

#include "kernels/class_lines.h"
#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/row_kernels.h"

namespace lectern::kernels::cpu {
namespace {

template <typename T>
ClassRule<T> class_rule(const ClassLines& lines) {
  return {lines.ignored, static_cast<T>(lines.smoothing)};
}

}  // namespace

void cross_entropy(const ClassLines& lines, void* losses, void* normalizers, void* weights) {
  dispatch_real_compute(lines.logits.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ClassTargets<T> targets(lines);
    const ClassRule<T> rule = class_rule<T>(lines);
    const auto kernel = row_kernels().get<T>().cross_entropy;
    const Array first{losses, dtype_of<T>, nullptr};
    for_lines<T>(logit_lines(lines, losses, dtype_of<T>), std::array{first, lines.logits}, Streaming::never,
                 [&](std::int64_t line, const LineTarget<T>& loss, const T* x) {
                   const RowLoss<T> found =
                       kernel(x, targets.targets[line], targets.weight, rule, targets.classes);
                   *loss.data = found.loss;
                   static_cast<LogNormalizer<T>*>(normalizers)[line] = found.normalizer;
                   static_cast<T*>(weights)[line] = found.weight;
                 });
  });
}

void class_totals(const ClassTotals& totals) {
  dispatch_real_compute(totals.computed, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T losses = 0, weights = 0;
    sum_terms(cpu::reduce, &losses, totals.losses, totals.count);
    sum_terms(cpu::reduce, &weights, totals.weights, totals.count);
    const T loss = totals.is_mean ? mean_of_losses(losses, weights) : losses;
    convert_element(totals.loss_dtype, totals.loss, dtype_of<T>, &loss);
    *static_cast<T*>(totals.total_weight) = weights;
  });
}

void cross_entropy_backward(const ClassLines& lines, const Array& out, const void* normalizers,
                            const ClassScales& scales) {
  dispatch_real_compute(lines.logits.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ClassTargets<T> targets(lines);
    const ClassRule<T> rule = class_rule<T>(lines);
    const LineScales<T> scale(scales);
    const auto kernel = row_kernels().get<T>().cross_entropy_backward;
    for_lines<T>(
        make_lines(lines.sizes, lines.dim, std::array{out, lines.logits}), std::array{out, lines.logits},
        Streaming::lines, [&](std::int64_t line, const LineTarget<T>& to, const T* x) {
          kernel(to, x, targets.targets[line], targets.weight,
                 static_cast<const LogNormalizer<T>*>(normalizers)[line], scale(line), rule, targets.classes);
        });
  });
}

void cross_entropy_in_place(const ClassLines& lines, void* losses, void* weights) {
  dispatch_real_compute(lines.logits.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ClassTargets<T> targets(lines);
    const ClassRule<T> rule = class_rule<T>(lines);
    const RowKernels<T>& kernels = row_kernels().get<T>();
    const std::array arrays{lines.logits, lines.logits};
    const Lines geometry = make_lines(lines.sizes, lines.dim, arrays);
    const auto visit = [&](std::int64_t line, const LineTarget<T>& to, const T* x) {
      const std::int64_t target = targets.targets[line];
      const RowLoss<T> found = kernels.cross_entropy(x, target, targets.weight, rule, targets.classes);
      static_cast<T*>(losses)[line] = found.loss;
      static_cast<T*>(weights)[line] = found.weight;
      kernels.cross_entropy_backward(to, x, target, targets.weight, found.normalizer, T(1), rule,
                                     targets.classes);
    };
    parallel_ranges(geometry.kept.numel, geometry.kept.numel * geometry.length,
                    [&](std::int64_t begin, std::int64_t end) {
                      LineWalk<2> walk(geometry, dtype_of<T>, arrays, Streaming::never);
                      std::vector<T> copy(static_cast<std::size_t>(targets.classes));
                      walk.visit(begin, end, [&](std::int64_t line, const auto& values) {
                        const T* x = reinterpret_cast<const T*>(values[1]);
                        if (values[0] == values[1])
                          x = std::copy_n(x, targets.classes, copy.data()) - targets.classes;
                        visit(line, walk.template target<T>(values[0]), x);
                      });
                    });
  });
}

void nll_loss(const ClassLines& lines, void* losses, void* weights) {
  dispatch_real_compute(lines.logits.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ClassTargets<T> targets(lines);
    const Lines geometry = logit_lines(lines, losses, dtype_of<T>);
    for (std::int64_t line = 0; line < geometry.kept.numel; ++line) {
      T& loss = static_cast<T*>(losses)[line] = 0;
      T& weight = static_cast<T*>(weights)[line] = 0;
      if (targets.is_ignored(line)) continue;
      weight = targets.target_weight(line);
      T x;
      convert_element(
          dtype_of<T>, &x, lines.logits.dtype,
          line_address(geometry, 1, lines.logits.data, line) + targets.targets[line] * geometry.step[1]);
      loss = -x * weight;
    }
  });
}

void nll_loss_backward(const ClassLines& lines, const Array& out, const ClassScales& scales) {
  dispatch_real_compute(lines.logits.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ClassTargets<T> targets(lines);
    const LineScales<T> scale(scales);
    const Lines geometry = make_lines(lines.sizes, lines.dim, std::array{out});
    for (std::int64_t line = 0; line < geometry.kept.numel; ++line) {
      if (targets.is_ignored(line)) continue;
      const T gradient = -targets.target_weight(line) * scale(line);
      convert_element(out.dtype,
                      line_address(geometry, 0, out.data, line) + targets.targets[line] * geometry.step[0],
                      dtype_of<T>, &gradient);
    }
  });
}

}  // namespace lectern::kernels::cpu
