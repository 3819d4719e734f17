#include "distributed/pipeline.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "device/cuda.h"
#include "distributed/collectives.h"
#include "ops/elementwise.h"
#include "tensor/creation.h"

namespace lectern::distributed {
namespace {

constexpr const char* kSchedule = "PipelineSchedule";

/// Before the sizes: the dtype, the number of dimensions, and whether it is on a GPU.
constexpr std::size_t kBeforeSizes = 3;

Tensor empty_form() {
  return zeros({static_cast<std::int64_t>(kMaxDims + kBeforeSizes)}, {.dtype = int64, .device = cpu});
}

/// What an activation is like, as it is sent.
Tensor form_of(const Tensor& tensor) {
  const Tensor form = empty_form();
  auto* const fields = form.data<std::int64_t>();
  fields[0] = static_cast<std::int64_t>(tensor.dtype());
  fields[1] = tensor.dim();
  fields[2] = tensor.is_cuda() ? 1 : 0;
  std::ranges::copy(tensor.sizes(), fields + kBeforeSizes);
  return form;
}

Tensor empty_of_form(const Tensor& form) {
  const auto* const fields = form.data<std::int64_t>();
  const Sizes sizes = std::span(fields + kBeforeSizes, static_cast<std::size_t>(fields[1]));
  const Device device = fields[2] != 0 ? Device(Device::Type::cuda, cuda::current_device()) : cpu;
  return empty(sizes, {.dtype = static_cast<Dtype>(fields[0]), .device = device});
}

/// The global rank of the stage so many after this one.
int neighbour(const PipelineStage& stage, int steps) {
  return get_global_rank(stage.group(), stage.stage_index() + steps);
}

}  // namespace

PipelineStage::PipelineStage(Forward forward, Group group)
    : forward_(std::move(forward)), group_(std::move(group)) {
  if (stage_index() < 0) throw TensorError("PipelineStage", "this rank is not in the group");
}

PipelineSchedule::PipelineSchedule(const PipelineStage& stage, std::int64_t n_microbatches, PipelineLoss loss,
                                   std::vector<PipelineAction> actions)
    : stage_(stage), n_microbatches_(n_microbatches), loss_(std::move(loss)), actions_(std::move(actions)) {
  if (n_microbatches < 1)
    throw TensorError(kSchedule, "the number of microbatches", "1 or more", std::to_string(n_microbatches));
  const auto count = static_cast<std::size_t>(n_microbatches);
  kept_.resize(count);
  forms_.resize(count);
  has_sent_form_.resize(count);
}

std::vector<Tensor> PipelineSchedule::microbatches(const char* what, const Tensor& batch) const {
  if (!batch.defined()) throw TensorError(kSchedule, fmt::format("step() of this stage needs {}", what));
  if (batch.dim() == 0 || batch.size(0) < n_microbatches_)
    throw TensorError(kSchedule, fmt::format("{} of shape {} can't be divided into {} microbatches", what,
                                             to_string(batch.sizes()), n_microbatches_));
  std::vector<std::int64_t> rows(static_cast<std::size_t>(n_microbatches_), batch.size(0) / n_microbatches_);
  for (std::int64_t i = 0; i < batch.size(0) % n_microbatches_; ++i) ++rows[static_cast<std::size_t>(i)];
  return batch.detach().split(rows, 0);
}

Tensor PipelineSchedule::step(const Tensor& x, const Tensor& target) {
  std::vector<Tensor> inputs(kept_.size()), targets = inputs;
  if (stage_.is_first()) inputs = microbatches("x", x);
  if (stage_.is_last()) targets = microbatches("target", target);
  for (Kept& kept : kept_) kept = {};  // of a step that failed
  Tensor loss;
  for (const PipelineAction& action : actions_) {
    const auto i = static_cast<std::size_t>(action.microbatch);
    const double weight =
        stage_.is_last() ? static_cast<double>(targets[i].size(0)) / static_cast<double>(target.size(0)) : 0;
    if (action.kind == PipelineAction::Kind::backward) {
      backward(i, weight);
      continue;
    }
    forward(i, inputs[i], targets[i]);
    if (!stage_.is_last()) continue;
    const Tensor part = kept_[i].output.detach() * weight;
    loss = loss.defined() ? loss + part : part;
  }
  std::exchange(sent_gradient_, Work()).wait();
  return loss;
}

void PipelineSchedule::forward(std::size_t i, const Tensor& x, const Tensor& target) {
  Kept& kept = kept_[i];
  kept.input = stage_.is_first() ? x : receive_activation(i).requires_grad_();
  kept.output = stage_(kept.input);
  if (stage_.is_last()) {
    kept.output = loss_(kept.output, target);
  } else {
    send_activation(i);
  }
}

void PipelineSchedule::backward(std::size_t i, double weight) {
  Kept kept = std::exchange(kept_[i], Kept());
  Tensor gradient;
  if (stage_.is_last()) {
    gradient =
        full(kept.output.sizes(), weight, {.dtype = kept.output.dtype(), .device = kept.output.device()});
  } else {
    kept.sent_form.wait();
    kept.sent.wait();
    gradient = empty(kept.output.sizes(), {.dtype = kept.output.dtype(), .device = kept.output.device()});
    recv(gradient, neighbour(stage_, 1), stage_.group());
  }
  if (kept.output.requires_grad()) kept.output.backward(gradient);
  if (stage_.is_first()) return;
  Tensor upstream = kept.input.grad();
  if (!upstream.defined()) upstream = zeros_like(kept.input.detach());
  std::exchange(sent_gradient_, Work()).wait();
  sent_gradient_ = isend(upstream, neighbour(stage_, -1), stage_.group());
}

Tensor PipelineSchedule::receive_activation(std::size_t i) {
  const int source = neighbour(stage_, -1);
  if (!forms_[i].defined()) {
    const Tensor form = empty_form();
    recv(form, source, stage_.group());
    forms_[i] = form;
  }
  const Tensor activation = empty_of_form(forms_[i]);
  recv(activation, source, stage_.group());
  return activation;
}

void PipelineSchedule::send_activation(std::size_t i) {
  Kept& kept = kept_[i];
  if (!kept.output.is_floating_point())
    throw TensorError(kSchedule, "the activations", "floating", name(kept.output.dtype()));
  const int target = neighbour(stage_, 1);
  if (!has_sent_form_[i]) kept.sent_form = isend(form_of(kept.output), target, stage_.group());
  has_sent_form_[i] = true;
  kept.sent = isend(kept.output.detach(), target, stage_.group());
}

}  // namespace lectern::distributed
