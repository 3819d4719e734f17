#include <memory>

#include "autograd/autocast_mode.h"
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
#include "tensor/cuda_graph.h"

namespace lectern::bench {
namespace {

/// A step: gradients taken away, forward, backward, AdamW.
template <typename Model, typename Loss>
auto step_of(std::shared_ptr<Model> model, const Loss& loss) {
  const optim::AdamWOptions options{.capturable = default_device().is_cuda()};
  const auto optimizer = std::make_shared<optim::AdamW>(model->parameters(), options);
  return [=] {
    optimizer->zero_grad();
    loss(*model).backward();
    optimizer->step();
  };
}

/// Two layers, and a batch of their inputs.
auto mlp_step(std::int64_t batch, std::int64_t width) {
  const auto model =
      std::make_shared<nn::Sequential>(nn::Linear(width, width), nn::ReLU(), nn::Linear(width, width));
  return step_of(model, [x = randn({batch, width}), y = randn({batch, width})](const nn::Sequential& mlp) {
    return mse_loss(mlp(x), y);
  });
}

/// On 8 sequences of as many tokens as there are positions; the loss of all logits or, `chunked`, of some at
/// a time.
auto gpt_step(const nn::GPTConfig& config, bool autocast, bool chunked = false) {
  const auto model = std::make_shared<nn::GPT>(config);
  const std::int64_t length = config.context_length;
  const Tensor tokens = randint(config.vocab_size, {8, length}),
               targets = randint(config.vocab_size, {8 * length});
  return step_of(model, [=](const nn::GPT& gpt) {
    const AutocastGuard mixed(default_device(), bfloat16, autocast);
    if (chunked) return gpt.loss(tokens, targets.view(tokens.sizes()));
    return cross_entropy(gpt(tokens).flatten(0, 1), targets);
  });
}

/// The step as a CUDA graph that is replayed.
template <typename Step>
auto captured(const Step& step) {
  step();
  const auto graph = std::make_shared<cuda::CUDAGraph>();
  graph->capture(step);
  return [graph] { graph->replay(); };
}

/// GPT's of training_cases().
nn::GPTConfig small_gpt(const Scale& scale) {
  return {.vocab_size = scale(4096, 61),
          .context_length = scale(256, 12),
          .width = scale(256, 16),
          .layers = scale(4, 2),
          .heads = 4};
}

std::string step_of_small_gpt(const nn::GPTConfig& config) {
  return "a step, " + to_string(Sizes{8, config.context_length}) + " tokens, width " +
         std::to_string(config.width);
}

}  // namespace

std::vector<Case> training_cases(const Scale& scale) {
  const bool threaded = scale.gpu || get_num_threads() > 1;
  // 2.1 million parameters, and 4.3 million.
  const std::int64_t batch = scale(64, 5), width = scale(1024, 24);
  const nn::GPTConfig config = small_gpt(scale);
  return {
      {.name = "mlp_step",
       .tensors = "a step, " + std::to_string(batch) + " of " + std::to_string(width) + ", 2 layers",
       .run = timed([=] { return mlp_step(batch, width); }),
       .faster = 1.2,
       .bound = Bound::arithmetic},
      {.name = "gpt_step",
       .tensors = step_of_small_gpt(config),
       .run = timed([=] { return gpt_step(config, false); }),
       .faster = threaded ? 1.3 : 1.1,
       .obstacle =
           "on an AMD EPYC (Zen 5) 1.24 to 1.29 in three runs of one day, more in others: PyTorch's own "
           "time differs by a fifth from run to run, ours less; four fifths of it are products, as "
           "fast on both sides",
       .bound = Bound::arithmetic},
  };
}

std::vector<Case> cuda_training_cases(const Scale& scale) {
  // The vocabulary is padded to a multiple of 64, in PyTorch's model too, as llm.c and nanoGPT do.
  const nn::GPTConfig gpt2{.vocab_size = scale(50304, 128),
                           .context_length = scale(1024, 12),
                           .width = scale(768, 24),
                           .layers = scale(12, 2),
                           .heads = scale(12, 3)};
  const std::string tensors = "a step, " + to_string(Sizes{8, gpt2.context_length}) + " tokens, GPT-2 of " +
                              std::to_string(gpt2.num_parameters() / 1'000'000) + " million, autocast";
  std::vector<Case> cases;
  for (const bool chunked : {false, true}) {
    cases.push_back(
        {.name = chunked ? "gpt2_chunked_step_bfloat16" : "gpt2_step_bfloat16",
         .tensors = chunked ? tensors + ", loss by chunks of the logits (PyTorch: of all)" : tensors,
         .run = timed([=] { return gpt_step(gpt2, true, chunked); }),
         .unit = Unit::bits16,
         .bound = Bound::arithmetic});
  }
  for (const bool beside_compiled : {false, true}) {
    cases.push_back(
        {.name = beside_compiled ? "gpt2_compiled_step_bfloat16" : "gpt2_captured_step_bfloat16",
         .tensors = tensors + ", a CUDA graph" + (beside_compiled ? " (PyTorch: torch.compile)" : ""),
         .run = timed([=] { return captured(gpt_step(gpt2, true)); }),
         .unit = Unit::bits16,
         .bound = Bound::arithmetic});
  }
  const nn::GPTConfig config = small_gpt(scale);
  cases.push_back({.name = "gpt_captured_step",
                   .tensors = step_of_small_gpt(config) + ", a CUDA graph",
                   .run = timed([=] { return captured(gpt_step(config, false)); }),
                   .bound = Bound::arithmetic});
  return cases;
}

}  // namespace lectern::bench
