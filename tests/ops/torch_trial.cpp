#include "ops/torch_trial.h"

#include <algorithm>

#include "autograd/backward.h"
#include "base/fnv.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

Tensor drawn(const Sizes& sizes, Dtype dtype, unsigned seed) {
  return lectern::is_floating_point(dtype) ? uniform(sizes, dtype, seed) : filled(sizes, dtype, seed);
}

template <typename Evaluate>
Outcome caught(const Evaluate& evaluate) {
  try {
    return {evaluate()};
  } catch (const TensorError& error) {
    return {{}, error.what()};
  }
}

Outcome backward(const Trial& trial, Tensor (*gradient_of)(const Tensor& value)) {
  In inputs;
  std::vector<Tensor> leaves, values, gradients;
  for (const Laid& input : trial.inputs()) {
    inputs.push_back(input.tensor.detach());
    leaves.push_back(inputs.back().requires_grad_());
  }
  return caught([&] {
    for (const Tensor& value : trial.row->operation(inputs)) {
      if (!value.requires_grad()) continue;
      values.push_back(value);
      gradients.push_back(gradient_of(value));
    }
    return values.empty() ? Out{} : autograd::grad(values, leaves, gradients, {.allow_unused = true});
  });
}

}  // namespace

Tensor fixed_gradient(const Tensor& value) {
  const Tensor steps = (arange(value.numel(), {.device = cpu}) * 37 + 11) % 17 - 8;
  return (steps.to(float32) / 8).to(value.device(), value.dtype()).reshape(value.sizes());
}

std::string title(const TorchRow& row) {
  std::string title = row.expression;
  for (const Sizes& sizes : row.shapes) title += " " + to_string(sizes);
  return title;
}

std::vector<Laid> Trial::inputs() const {
  std::vector<Laid> inputs;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    inputs.push_back(laid_out(layouts[i], row->shapes[i], dtype,
                              [&](const Sizes& sizes, Dtype of) { return drawn(sizes, of, seeds[i]); }));
  }
  return inputs;
}

bool Trial::with_gradients() const {
  // With fresh inputs, sums that cancel out leave too few digits of narrow dtypes to compare.
  const std::vector<Dtype>& dtypes = torch_is_live() ? kReal : kWithGradients;
  return row->gradients && std::ranges::find(dtypes, dtype) != dtypes.end() &&
         row->expression.find("torch.autograd.grad") == std::string::npos;
}

std::string Trial::title() const {
  std::string title = row->expression + " of " + std::string(name(dtype));
  for (const Laid& input : inputs()) title += ", " + to_string(input.tensor.sizes()) + " " + input.how;
  return title;
}

Trial fixed_trial(const TorchRow& row, Dtype dtype) {
  Trial trial{&row, dtype, {}, {}};
  const std::uint64_t start = fnv1a_64(title(row) + std::string(name(dtype)));
  for (std::size_t i = 0; i < row.shapes.size(); ++i) {
    const std::uint64_t seed = fnv1a_64(std::to_string(start) + "." + std::to_string(i));
    trial.seeds.push_back(static_cast<unsigned>(seed));
    trial.layouts.push_back(static_cast<unsigned>(seed >> 32U) % kLayouts);
  }
  return trial;
}

std::vector<Trial> fresh_trials(const TorchRow& row, Dtype dtype, std::mt19937& seeds) {
  std::vector<Trial> trials;
  for (const bool contiguous : {true, false}) {
    Trial trial{&row, dtype, {}, {}};
    for (std::size_t i = 0; i < row.shapes.size(); ++i) {
      trial.seeds.push_back(static_cast<unsigned>(seeds()));
      trial.layouts.push_back(contiguous ? 0 : static_cast<unsigned>(seeds()) % kLayouts);
    }
    trials.push_back(trial);
  }
  return trials;
}

Outcome our_values(const Trial& trial) {
  In inputs;
  for (const Laid& input : trial.inputs()) inputs.push_back(input.tensor);
  return caught([&] { return trial.row->operation(inputs); });
}

Outcome our_gradients(const Trial& trial) {
  return backward(trial, fixed_gradient);
}

Outcome uncancelled_gradients(const Trial& trial) {
  return backward(trial, [](const Tensor& value) { return fixed_gradient(value).abs(); });
}

}  // namespace lectern::test
