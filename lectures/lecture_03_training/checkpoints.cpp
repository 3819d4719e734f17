// Lecture 3, a run that is stopped and goes on.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "run.h"

using namespace lectern;

Checkpoint Run::checkpoint() const {
  return {{"model", model.state_dict()},
          {"optimizer", optimizer_.state_dict()},
          {"schedule", schedule_.state_dict()},
          {"batches", batches_.state_dict()},
          {"random", rng_state()}};
}

void Run::resume(const Checkpoint& from, bool with_optimizer) {
  model.load_state_dict(from.at("model"));
  if (with_optimizer) optimizer_.load_state_dict(from.at("optimizer"));
  schedule_.load_state_dict(from.at("schedule"));
  batches_.load_state_dict(from.at("batches"));
  load_rng_state(from.at("random"));
}

// The largest difference between the parameters of two models.
double largest_difference(const Gpt& a, const Gpt& b) {
  const std::vector<Tensor> left = a.parameters(), right = b.parameters();
  double largest = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Tensor apart = (left[i].detach() - right[i].detach()).abs();
    largest = std::max(largest, apart.max().item<double>());
  }
  return largest;
}

constexpr std::int64_t kBefore = 60;  // steps before the run is stopped
constexpr std::int64_t kAfter = 6;    // and after

void checkpoints() {
  text("## Checkpoints");
  text(
      "A run of weeks is stopped many times: a machine fails, a queue ends, somebody "
      "stumbles over a cable. A *checkpoint* is everything that the next step "
      "depends on. It is more than the model:");
  text("- the parameters;\n"
       "- the optimizer's averages, and how many steps are behind them;\n"
       "- where the schedule of the learning rate stands;\n"
       "- where in the data we are;\n"
       "- the state of all random generators, since dropout draws from them."),
      link<Run>();
  ModelSize size;
  size.dropout = 0.1;
  const Recipe recipe{.steps = 320, .warmup = 16};
  Run run(size, recipe);  // @stepover
  run.steps(kBefore);     // @stepover
  const std::filesystem::path file =
      scratch_folder() / "run.safetensors";  // @stepover
  save_checkpoint(file, run.checkpoint());
  const std::vector<double> went_on = run.steps(kAfter);  // @stepover

  text("How large is the file? Parameters and two averages for each, 12 bytes. The "
       "matrix that both ends of the model share has two names, and is written under "
       "each. The rest is names, step counts and the states of generators.");
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
  const std::int64_t N = number_of_parameters(size);  // @stepover
  const std::int64_t twice = size.vocabulary * size.width;
  const std::int64_t rest = bytes - 12 * N - 4 * twice;  // @inspect rest
  assert(rest > 0 && rest < 40'000);

  text("### The same run");
  text("Another run, of another seed, takes the checkpoint and goes on. It has to "
       "become the first one *bit for bit*: not close, equal. Only then does a "
       "difference always mean a mistake.");
  Run resumed(size, recipe, /*seed=*/99);  // @stepover
  resumed.resume(load_checkpoint(file, kDevice));
  const std::vector<double> same = resumed.steps(kAfter);     // @stepover
  assert(same == went_on);                                    // @tol rel=2e-2 *
  assert(largest_difference(resumed.model, run.model) == 0);  // @stepover

  text("### Without the optimizer's state");
  text("Now the mistake. Only the model is taken back, and AdamW begins anew: its "
       "averages know one gradient, and divided by its own size each number of it "
       "becomes about 1. Every parameter moves by the whole learning rate, in "
       "whichever direction one batch says.");
  Run forgetful(size, recipe, /*seed=*/99);  // @stepover
  forgetful.resume(load_checkpoint(file, kDevice),
                   /*with_optimizer=*/false);
  const std::vector<double> other = forgetful.steps(kAfter);  // @stepover
  // The same parameters, batch and dropout.
  assert(other[0] == went_on[0]);  // @tol rel=2e-2 *
  double worst = 0;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < went_on.size(); ++i) {
    worst = std::max(worst, other[i] - went_on[i]);
    rows.push_back({fmt::format("{}", static_cast<std::size_t>(kBefore) + i),
                    fmt::format("{:.3f}", went_on[i]), fmt::format("{:.3f}", same[i]),
                    fmt::format("{:.3f}", other[i])});
  }  // @stepover
  table({"Step", "Never stopped", "Resumed", "Resumed without the optimizer's state"},
        rows);           // @tol rel=2e-2 *
  assert(worst > 0.05);  // @tol rel=0.5 *

  text("The first loss is equal, since the parameters are. From then on it is worse, "
       "by up to {:.2f}. In a long run this is a spike in the curve, after each stop "
       "one, and it looks as if the data were to blame.",
       worst);  // @tol rel=0.5 *
  callout(Callout::example,
          "Run for 10 steps and save. Resume twice, once in the program that is "
          "running, once in a new process. Compare the losses of the next steps with "
          "`==`. It takes a minute and finds each of the five parts that one can "
          "forget.",
          "A test for every training program");
}
