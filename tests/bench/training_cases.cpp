#include <memory>

#include "autograd/backward.h"
#include "bench/cases.h"
#include "device/threads.h"
#include "nn/activations.h"
#include "nn/gpt.h"
#include "nn/linear.h"
#include "nn/sequential.h"
#include "ops/cross_entropy.h"
#include "ops/losses.h"
#include "optim/adam.h"

namespace lectern::bench {
namespace {

/// A step: gradients taken away, forward, backward, AdamW.
template <typename Model, typename Loss>
auto step_of(std::shared_ptr<Model> model, const Loss& loss) {
  const auto optimizer = std::make_shared<optim::AdamW>(model->parameters());
  return [=] {
    optimizer->zero_grad();
    loss(*model).backward();
    optimizer->step();
  };
}

/// Two layers of 1,024 and batches of 64: 2.1 million parameters.
auto mlp_step() {
  const auto model =
      std::make_shared<nn::Sequential>(nn::Linear(1024, 1024), nn::ReLU(), nn::Linear(1024, 1024));
  return step_of(model, [x = randn({64, 1024}), y = randn({64, 1024})](const nn::Sequential& mlp) {
    return mse_loss(mlp(x), y);
  });
}

/// 4 layers of width 256 with 4 heads, 8 sequences of 256 tokens of 4,096: 4.3 million parameters.
auto gpt_step() {
  const auto model = std::make_shared<nn::GPT>(
      nn::GPTConfig{.vocab_size = 4096, .context_length = 256, .width = 256, .layers = 4, .heads = 4});
  const Tensor tokens = randint(4096, {8, 256}), targets = randint(4096, {8 * 256});
  return step_of(model,
                 [=](const nn::GPT& gpt) { return cross_entropy(gpt(tokens).flatten(0, 1), targets); });
}

}  // namespace

std::vector<Case> training_cases() {
  const bool threaded = default_device().is_cuda() || get_num_threads() > 1;
  return {
      {.name = "mlp_step", .tensors = "a step, 64 of 1024, 2 layers", .run = timed(mlp_step), .faster = 1.2},
      {.name = "gpt_step",
       .tensors = "a step, [8, 256] tokens, width 256",
       .run = timed(gpt_step),
       .faster = threaded ? 1.3 : 1.1,
       .obstacle = "on an AMD EPYC (Zen 5) PyTorch's own time differs by a fifth from run to run (230 to 275 "
                   "ms), ours less "
                   "(182 to 197)"},
  };
}

}  // namespace lectern::bench
