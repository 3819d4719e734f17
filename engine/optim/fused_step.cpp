#include "optim/fused_step.h"

#include <string>

#include "base/tensor_error.h"
#include "device/capture.h"
#include "device/counters.h"
#include "optim/state_tensor.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::optim {
namespace {

bool has_strides(const Tensor& tensor, const Sizes& strides) {
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (tensor.sizes()[d] != 1 && tensor.strides()[d] != strides[d]) return false;
  }
  return true;
}

}  // namespace

DenseView::DenseView(const Tensor& tensor, const Sizes& strides)
    : tensor_(tensor), dense_(tensor.numel() == 0 || has_strides(tensor, strides) ? tensor : uncounted([&] {
        return copied("step", tensor, tensor.dtype(), tensor.device(), strides);
      })) {}

void DenseView::write_back() const {
  if (dense_.is_same(tensor_)) {
    tensor_.storage().bump_version();
  } else {
    uncounted([&] { copy_elements(tensor_, dense_); });
  }
}

FusedStep::FusedStep(const GradScale* scale)
    : scale_(scale), is_on_host_(scale != nullptr && scale->found_inf.device().is_cpu()) {}

bool FusedStep::is_skipped() const {
  return is_on_host_ && scale_->found_inf.item<double>() != 0;
}

double FusedStep::factor() const {
  return is_on_host_ ? scale_->inv_scale.item<double>() : 1;
}

kernels::GradScale FusedStep::on_gpu(Device device) const {
  if (scale_ == nullptr || !device.is_cuda()) return {nullptr, nullptr};
  return {scale_->inv_scale.data<float>(), scale_->found_inf.data<float>()};
}

kernels::StepCount FusedStep::count(Tensor& step, Device device, bool capturable) {
  if (cuda::is_capturing() && (!step.defined() || step.device().is_cpu())) {
    throw TensorError("step", "the step count", "on the GPU while a CUDA graph is captured",
                      "on the CPU; give Adam the option capturable, and take a step before the capture");
  }
  if (!step.defined()) step = state_tensor(zeros({}, {.dtype = float32, .device = cpu}));
  if (!step.sizes().empty() || step.dtype() != float32)
    throw TensorError("step", "the step count", "one float32 element", described(step));
  const bool is_on_gpu = device.is_cuda() && (capturable || (scale_ != nullptr && !is_on_host_));
  if (is_on_gpu && step.device().is_cpu())
    step = state_tensor(full({}, step.item(), {.dtype = float32, .device = device}));
  if (step.is_cuda()) return {.on_gpu = step.data<float>()};
  if (!(*step.data<float>() >= 0))
    throw TensorError("step", "the step count", "0 or more", std::to_string(*step.data<float>()));
  host_counts_.push_back(step.data<float>());
  return {.step = static_cast<double>(*step.data<float>()) + 1};
}

const void* FusedStep::read(const Tensor& tensor, const Sizes& strides) {
  return read_.emplace_back(tensor, strides).data();
}

void* FusedStep::change(const Tensor& tensor, const Sizes& strides) {
  return changed_.emplace_back(tensor, strides).data();
}

void FusedStep::finish() const {
  for (const DenseView& view : changed_) view.write_back();
  for (float* count : host_counts_) *count += 1;
}

}  // namespace lectern::optim
