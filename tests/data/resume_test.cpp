#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "amp/grad_scaler.h"
#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "checkpoint/checkpoint.h"
#include "data/loader.h"
#include "data/tokens.h"
#include "nn/gpt.h"
#include "ops/compare.h"
#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "optim/lr_scheduler.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

/// A run of training with all that has a state: parameters, moments, rates, the scale of the loss, the places
/// of batches, and the numbers that dropout draws.
class Training {
 public:
  Training() {
    manual_seed(1);
    model_ = std::make_unique<nn::GPT>(nn::GPTConfig{
        .vocab_size = 16, .context_length = 8, .width = 16, .layers = 2, .heads = 2, .dropout = 0.1});
    optimizer_ = std::make_unique<optim::AdamW>(model_->parameters(), optim::AdamWOptions{.lr = 1e-2});
    schedule_ = std::make_unique<optim::LinearWarmupCosine>(
        *optimizer_, optim::LinearWarmupCosineOptions{.warmup_steps = 2, .total_steps = 12, .min_lr = 1e-4});
  }

  std::vector<double> train(int steps) {
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
      const std::vector<Tensor> batch = loader_.next();
      model_->zero_grad();
      Tensor loss;
      {
        const AutocastGuard autocast(default_device(), float16);
        loss = cross_entropy((*model_)(batch[0]).flatten(0, 1), batch[1].flatten());
      }
      scaler_.scale(loss).backward();
      scaler_.unscale_(*optimizer_);
      nn::utils::clip_grad_norm_(model_->parameters(), 1);
      scaler_.step(*optimizer_);
      scaler_.update();
      schedule_->step();
      losses.push_back(loss.item<double>());
    }
    return losses;
  }

  void save(const std::filesystem::path& file) const {
    save_checkpoint(file, {{"model", model_->state_dict()},
                           {"optimizer", optimizer_->state_dict()},
                           {"schedule", schedule_->state_dict()},
                           {"scaler", scaler_.state_dict()},
                           {"data", loader_.state_dict()},
                           {"rng", rng_state()}});
  }
  void load(const std::filesystem::path& file) {
    const Checkpoint saved = load_checkpoint(file);
    model_->load_state_dict(saved.at("model"));
    optimizer_->load_state_dict(saved.at("optimizer"));
    schedule_->load_state_dict(saved.at("schedule"));
    scaler_.load_state_dict(saved.at("scaler"));
    loader_.load_state_dict(saved.at("data"));
    load_rng_state(saved.at("rng"));
  }
  StateDict weights() const { return model_->state_dict(); }

 private:
  std::unique_ptr<nn::GPT> model_;
  std::unique_ptr<optim::AdamW> optimizer_;
  std::unique_ptr<optim::LinearWarmupCosine> schedule_;
  amp::GradScaler scaler_{{.init_scale = 1e9, .growth_interval = 3}};  // infinite at first: steps are skipped
  DataLoader loader_{
      std::make_shared<RandomTokenBatches>(remainder(arange(500, {.device = cpu}).square(), 16), 4, 8, 3)};
};

TEST(Resume, ARunGoesOnBitForBit) {
  const test::TemporaryFolder folder;
  Training whole;
  whole.train(5);
  whole.save(folder / "run.safetensors");
  const std::vector<double> losses = whole.train(6);

  Training resumed;
  resumed.train(1);
  resumed.load(folder / "run.safetensors");
  EXPECT_EQ(resumed.train(6), losses);
  for (const auto& [name, weight] : whole.weights())
    EXPECT_TRUE(resumed.weights().at(name).equal(weight)) << name;
}

}  // namespace
}  // namespace lectern
