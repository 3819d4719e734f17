#include "optim/clip_grad.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "autograd/grad_mode.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/gradient_norms.h"
#include "ops/elementwise.h"
#include "ops/join.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "optim/fused_step.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::nn::utils {
namespace {

using optim::DenseView;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kName = "clip_grad_norm_";

std::optional<kernels::TotalNorm> kind_of(double norm_type) {
  if (norm_type == 1) return kernels::TotalNorm::one;
  if (norm_type == 2) return kernels::TotalNorm::two;
  if (norm_type == kInfinity) return kernels::TotalNorm::infinity;
  return {};
}

/// Gradients on one device, as arrays for kernels.
class Gradients {
 public:
  explicit Gradients(const std::vector<Tensor>& gradients) {
    for (const Tensor& gradient : gradients) {
      const DenseView& view = dense_.emplace_back(gradient, result_strides(gradient));
      arrays_.push_back({view.data(), gradient.dtype(), gradient.numel()});
      elements_ += gradient.numel();
      bytes_ += gradient.nbytes();
    }
  }

  void norm(kernels::TotalNorm kind, const Tensor& total) const {
    count_norm();
    kernels::total_norm(kName, total.device(), kind, arrays_, total.data_ptr(), total.dtype());
  }

  void clip(double max_norm, const Tensor& total) const {
    count_clip();
    kernels::clip(kName, total.device(), arrays_, max_norm, total.data_ptr(), total.dtype());
    write_back();
  }

  void clip_by_norm(kernels::TotalNorm kind, double max_norm, const Tensor& total) const {
    count_norm();
    count_clip();
    kernels::clip_by_norm(kName, total.device(), kind, arrays_, max_norm, total.data_ptr(), total.dtype());
    write_back();
  }

 private:
  void write_back() const {
    for (const DenseView& view : dense_) view.write_back();
  }
  void count_norm() const { count(2 * elements_, bytes_); }
  void count_clip() const { count(elements_, 2 * bytes_); }

  std::vector<DenseView> dense_;
  std::vector<kernels::DenseArray> arrays_;
  std::int64_t elements_ = 0, bytes_ = 0;
};

bool on_one_device(const std::vector<Tensor>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const Tensor& tensor) { return tensor.device() == tensors[0].device(); });
}

/// The tensor that receives the norm.
Tensor empty_total(const std::vector<Tensor>& tensors) {
  Dtype dtype = tensors[0].dtype();
  for (const Tensor& part : tensors) dtype = promote_types(dtype, part.dtype());
  return empty({}, {.dtype = dtype, .device = tensors[0].device()});
}

void check_dtypes(const std::vector<Tensor>& tensors) {
  for (const Tensor& part : tensors) {
    if (!part.is_floating_point() || is_float8(part.dtype()))
      throw TensorError("get_total_norm", "the dtype of a tensor", "float64, float32, float16 or bfloat16",
                        name(part.dtype()));
  }
}

}  // namespace

Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type) {
  const NoGradGuard no_grad;
  if (tensors.empty()) return tensor(0.);
  check_dtypes(tensors);
  const Device device = tensors[0].device();
  const auto kind = kind_of(norm_type);
  if (!kind || !on_one_device(tensors)) {
    std::vector<Tensor> norms;
    norms.reserve(tensors.size());
    for (const Tensor& part : tensors) norms.push_back(norm(part, norm_type).to(device));
    return norm(stack(norms), norm_type);
  }
  Tensor total = empty_total(tensors);
  Gradients(tensors).norm(*kind, total);
  return total;
}

Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  const NoGradGuard no_grad;
  const std::vector<Tensor> gradients = optim::gradients_of(parameters);
  const auto kind = kind_of(norm_type);
  if (kind && !error_if_nonfinite && !gradients.empty() && on_one_device(gradients)) {
    check_dtypes(gradients);
    Tensor total = empty_total(gradients);
    Gradients(gradients).clip_by_norm(*kind, max_norm, total);
    return total;
  }
  Tensor total = get_total_norm(gradients, norm_type);
  if (gradients.empty()) return total;
  if (error_if_nonfinite && !std::isfinite(total.item<double>()))
    throw TensorError(kName, "the total norm of order " + number_text(norm_type) +
                                 " is not finite, so gradients cannot be clipped; without "
                                 "error_if_nonfinite they are scaled by it anyway");
  if (on_one_device(gradients)) {
    Gradients(gradients).clip(max_norm, total);
  } else {
    const Tensor factor = clamp(max_norm / (total + 1e-6), std::nullopt, Scalar(1.));
    for (const Tensor& gradient : gradients) gradient.mul_(factor.to(gradient.device()));
  }
  return total;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  const NoGradGuard no_grad;
  for (const Tensor& gradient : optim::gradients_of(parameters)) {
    gradient.clamp_(Scalar(-clip_value), Scalar(clip_value));
  }
}

}  // namespace lectern::nn::utils
