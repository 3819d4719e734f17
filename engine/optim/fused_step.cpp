#include "optim/fused_step.h"

#include <string>

#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern::optim {

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

kernels::StepCount FusedStep::count(Tensor& step, Device device) {
  if (!step.defined()) step = zeros({}, {.dtype = float32, .device = cpu});
  if (!step.sizes().empty() || step.dtype() != float32)
    throw TensorError("step", "the count of steps", "one number of float32", "another tensor");
  if (scale_ != nullptr && !is_on_host_ && step.device().is_cpu())
    step = full({}, step.item(), {.dtype = float32, .device = device});
  if (step.is_cuda()) return {.on_gpu = step.data<float>()};
  if (!(*step.data<float>() >= 0))
    throw TensorError("step", "the count of steps", "0 or more", std::to_string(*step.data<float>()));
  counts_on_host_.push_back(step.data<float>());
  return {.step = static_cast<double>(*step.data<float>()) + 1};
}

const void* FusedStep::read(const Tensor& tensor, const Sizes& strides) {
  return read_.emplace_back(tensor, strides).data();
}

void* FusedStep::change(const Tensor& tensor, const Sizes& strides) {
  return changed_.emplace_back(tensor, strides).data();
}

void FusedStep::finish() const {
  for (const DenseNumbers& numbers : changed_) numbers.write_back();
  for (float* count : counts_on_host_) *count += 1;
}

}  // namespace lectern::optim
