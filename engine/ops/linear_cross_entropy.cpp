#include "ops/linear_cross_entropy.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/autocast.h"
#include "ops/class_operands.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

constexpr std::string_view kLinearCrossEntropy = "linear_cross_entropy";

/// The gradients that will be needed, of a loss that is a sum; the others stay undefined.
struct HeadGradients {
  Tensor x;       ///< by rows
  Tensor weight;  ///< in the compute dtype
};

/// The loss, and what its backward needs.
struct HeadLoss {
  Tensor loss;
  Tensor total_weight;
  HeadGradients gradients;
};

struct Needed {
  bool x, weight;
};

void check_head(const Tensor& x, const Tensor& weight, const Tensor& target, const ClassLossOptions& options,
                std::int64_t rows) {
  check_linear_shapes(kLinearCrossEntropy, x, weight, {});
  check_same_device(kLinearCrossEntropy, x, weight);
  const auto require = [](bool holds, std::string_view argument, const std::string& expected,
                          const std::string& got) {
    if (!holds) throw TensorError(kLinearCrossEntropy, argument, expected, got);
  };
  require(x.dtype() == weight.dtype(), "the dtypes of x and weight", "the same; convert one with to()",
          std::string(name(x.dtype())) + " and " + std::string(name(weight.dtype())));
  check_floating(kLinearCrossEntropy, x.dtype());
  Sizes expected = x.sizes();
  expected.erase(expected.size() - 1);
  require(target.sizes() == expected, "the target's shape",
          to_string(expected) + " for x " + to_string(x.sizes()), to_string(target.sizes()));
  require(options.reduction != LossReduction::unreduced, "the reduction", "mean or sum", "unreduced");
  require(rows >= 0, "rows", "0 or more", std::to_string(rows));
}

/// Rows of a chunk: nearly equal chunks, of multiples of the rows that a GPU's products take at a time.
std::int64_t rows_of_chunk(std::int64_t rows, std::int64_t bytes_of_row) {
  constexpr std::int64_t kChunkBytes = 256 << 20, kTile = 128;
  const std::int64_t most = std::max<std::int64_t>(1, kChunkBytes / std::max<std::int64_t>(1, bytes_of_row));
  const std::int64_t chunks = std::max<std::int64_t>(1, (rows + most - 1) / most);
  const std::int64_t each = (rows + chunks - 1) / chunks;
  return each == rows ? rows : (each + kTile - 1) / kTile * kTile;
}

/// On a GPU, whose products read and write rows at multiples of 16 bytes several times as fast, a weight that
/// has logits of such rows: with rows of 0 for classes that there are not.
Tensor with_aligned_classes(const Tensor& weight) {
  constexpr std::int64_t kUnit = 64, kAligned = 16;
  const std::int64_t classes = weight.size(0), padded = (classes + kUnit - 1) / kUnit * kUnit;
  if (!weight.is_cuda() || classes * weight.element_size() % kAligned == 0) return weight;
  const Tensor wide = empty({padded, weight.size(1)}, {.dtype = weight.dtype(), .device = weight.device()});
  wide.slice(0, 0, classes).copy_(weight);
  wide.slice(0, classes, padded).zero_();
  return wide;
}

/// sums += a · b, or a · b where there are no sums yet, in the compute dtype.
void add_to_sums(Tensor& sums, const Tensor& a, const Tensor& b) {
  if (!sums.defined()) {
    sums = matmul_sums(a, b);
  } else if (sums.dtype() == a.dtype() || (a.is_cuda() && !is_float8(a.dtype()))) {
    add_matmul(sums, a, b);
  } else {
    sums.add_(matmul_sums(a, b));
  }
}

/// Goes through the rows chunk by chunk.
class Head {
 public:
  Head(const Tensor& x, const Tensor& weight, const Tensor& target, const ClassLossOptions& options)
      : x_(x),
        weight_(with_aligned_classes(weight)),
        target_(target),
        classes_(weight.size(0)),
        options_(options) {}

  HeadLoss compute(std::int64_t rows, Needed needed, Dtype loss_dtype) {
    const std::int64_t count = x_.size(0);
    const Dtype computed = compute_dtype(x_.dtype());
    const TensorOptions row_options{.dtype = computed, .device = x_.device()};
    losses_ = empty({count}, row_options), weights_ = empty({count}, row_options);
    if (needed.x) gradients_.x = empty(x_.sizes(), {.dtype = x_.dtype(), .device = x_.device()});
    for (std::int64_t begin = 0; begin < std::max<std::int64_t>(1, count); begin += rows)
      add_chunk(begin, std::min(begin + rows, count), needed);
    if (needed.weight && !gradients_.weight.defined())
      gradients_.weight = zeros(weight_.sizes(), row_options);
    if (needed.weight) gradients_.weight = gradients_.weight.slice(0, 0, classes_);
    const TotalLoss total =
        total_loss(kLinearCrossEntropy, loss_dtype, losses_, weights_, options_.reduction);
    return {total.loss, total.weight, gradients_};
  }

 private:
  void add_chunk(std::int64_t begin, std::int64_t end, Needed needed) {
    const Tensor x = x_.slice(0, begin, end);
    const Tensor logits = matmul(x, weight_.t());
    const ClassOperands operands(kLinearCrossEntropy, logits.slice(1, 0, classes_),
                                 target_.slice(0, begin, end), options_);
    if (logits.numel() == 0) return;
    const Tensor losses = losses_.slice(0, begin, end), weights = weights_.slice(0, begin, end);
    if (!needed.x && !needed.weight) {
      const Tensor normalizers = operands.make_target_tensor(2);
      kernels::cross_entropy(kLinearCrossEntropy, x.device(), operands.lines(), losses.data_ptr(),
                             normalizers.data_ptr(), weights.data_ptr());
      return;
    }
    kernels::cross_entropy_in_place(kLinearCrossEntropy, x.device(), operands.lines(), losses.data_ptr(),
                                    weights.data_ptr());
    if (needed.x) gradients_.x.slice(0, begin, end).copy_(matmul(logits, weight_));
    if (needed.weight) add_to_sums(gradients_.weight, logits.t(), x);
  }

  Tensor x_, weight_, target_;
  std::int64_t classes_;
  const ClassLossOptions& options_;
  Tensor losses_, weights_;
  HeadGradients gradients_;
};

void count_head(const Tensor& x, const Tensor& weight, const Tensor& target, const ClassLossOptions& options,
                const HeadLoss& made) {
  const std::int64_t targets = target.numel(), logits = targets * weight.size(0);
  if (targets == 0) return;
  const bool smoothed = options.label_smoothing != 0;
  const HeadGradients& gradients = made.gradients;
  const std::int64_t products = 1 + gradients.x.defined() + gradients.weight.defined();
  const std::int64_t per_logit = 2 * products * x.size(-1) + (smoothed ? 7 : 4) +
                                 (products == 1 ? 0
                                  : smoothed    ? 6
                                                : 4);
  const auto bytes = [](const Tensor& tensor) { return tensor.defined() ? tensor.nbytes() : 0; };
  count(logits * per_logit + 2 * targets, bytes_in_memory(x) + bytes_in_memory(weight) +
                                              bytes_in_memory(target) + bytes_in_memory(options.weight) +
                                              made.loss.nbytes() + bytes(gradients.x) +
                                              bytes(gradients.weight));
}

/// The gradient of the sum, times the scale, rounded once.
Tensor scaled_gradient(const Tensor& gradient, const Tensor& scale, const Sizes& sizes, Dtype dtype) {
  const Tensor result = uncounted([&] { return (gradient.to(scale.dtype()) * scale).to(dtype).view(sizes); });
  count(gradient.numel(), gradient.nbytes() + result.nbytes());
  return result;
}

/// What gradients of the sum are multiplied by. A row that is ignored, and weights if all are, get 0 also
/// where the incoming gradient is not finite or the class weights of the others are 0.
struct HeadScales {
  Tensor rows;  ///< [rows, 1]
  Tensor weight;
};

HeadScales scales_of(const Tensor& grad, const Tensor& total_weight, const Tensor& target,
                     std::int64_t ignore_index, bool is_mean) {
  return uncounted([&] {
    const Tensor given = grad.to(total_weight.dtype()), scale = is_mean ? given / total_weight : given;
    const Tensor is_used = target.flatten().to(int64) != ignore_index, nothing = zeros_like(scale);
    return HeadScales{where(is_used, scale, nothing).unsqueeze(1), where(is_used.any(), scale, nothing)};
  });
}

/// The options with class weights of 1 at most, where a mean divides by their sum anyway: gradients of logits
/// of 16 or 8 bits are stored before they are divided, and could overflow or vanish.
ClassLossOptions with_scaled_weights(const ClassLossOptions& options, Dtype logits) {
  ClassLossOptions scaled = options;
  const Tensor& weights = options.weight;
  if (compute_dtype(logits) == logits || options.reduction != LossReduction::mean) return scaled;
  if (!weights.defined() || weights.numel() == 0 || !weights.is_floating_point()) return scaled;
  scaled.weight = uncounted([&] {
    const NoGradGuard no_grad;
    const Tensor wide = weights.to(compute_dtype(weights.dtype())), largest = wide.abs().amax();
    return wide / where(largest == 0, ones_like(largest), largest);
  });
  return scaled;
}

/// Of the operands as they are multiplied.
HeadLoss forward_head(const Tensor& x, const Tensor& weight, const Tensor& target,
                      const ClassLossOptions& options, std::int64_t rows, Needed needed, Dtype loss_dtype) {
  const ClassLossOptions scaled = with_scaled_weights(options, x.dtype());
  const HeadLoss made = uncounted([&] {
    const Tensor lines = as_rows(x);
    const std::int64_t each =
        rows > 0 ? rows : rows_of_chunk(lines.size(0), weight.size(0) * x.element_size());
    return Head(lines, weight, target.flatten(), scaled)
        .compute(std::max<std::int64_t>(1, each), needed, loss_dtype);
  });
  count_head(x, weight, target, options, made);
  return made;
}

}  // namespace

Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& target,
                            const ClassLossOptions& options, std::int64_t rows) {
  const Needed needed{autograd::records(x), autograd::records(weight)};
  const bool is_cast = autocasts(x);
  const auto multiplied = [mode = autocast_mode(), is_cast](const Tensor& operand) {
    const NoGradGuard no_grad;  // gradients go to what was given, without its rounding
    return is_cast ? autocast_operand(operand, mode) : operand;
  };
  const Tensor in = multiplied(x), matrix = multiplied(weight);
  const AutocastGuard off{AutocastMode()};
  check_head(in, matrix, target, options, rows);
  const Dtype loss_dtype = is_cast ? compute_dtype(in.dtype()) : in.dtype();
  HeadLoss made;
  return autograd::recorded(
      kLinearCrossEntropy, {&x, &weight},
      [&] { return (made = forward_head(in, matrix, target, options, rows, needed, loss_dtype)).loss; },
      [&] {
        return [x_gradient = Saved(made.gradients.x), weight_gradient = Saved(made.gradients.weight),
                total = Saved(made.total_weight), classes = Saved(target), ignored = options.ignore_index,
                x_sizes = x.sizes(), x_dtype = x.dtype(), weight_sizes = weight.sizes(),
                weight_dtype = weight.dtype(), is_mean = options.reduction == LossReduction::mean](
                   const Tensor& grad, Gradients& gradients) {
          const HeadScales scales = scales_of(grad, total.get(), classes.get(), ignored, is_mean);
          gradients.add(0, [&] { return scaled_gradient(x_gradient.get(), scales.rows, x_sizes, x_dtype); });
          gradients.add(1, [&] {
            return scaled_gradient(weight_gradient.get(), scales.weight, weight_sizes, weight_dtype);
          });
        };
      });
}

}  // namespace lectern
