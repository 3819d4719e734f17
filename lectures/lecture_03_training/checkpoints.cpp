// Lecture 3, a run that is stopped and goes on.

#include "run.h"

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

constexpr int64_t kBefore = 60;  // steps before the run is stopped
constexpr int64_t kAfter = 6;    // and after

void checkpoints() {
  text("## Checkpoints");
  text(R"(
    A run of weeks is stopped many times: a machine fails, a queue ends, somebody stumbles over a cable. A
    *checkpoint* is everything that the next step depends on. It is more than the model:)");
  text(R"(
    - the parameters;
    - the optimizer's averages, and how many steps are behind them;
    - where the schedule of the learning rate stands;
    - where in the data we are;
    - the state of all random generators, since dropout draws from them.)"),
      link<Run>();
  ModelSize size;
  size.dropout = 0.1;
  const Recipe recipe{.steps = 320, .warmup = 16};
  Run run(size, recipe);                                                    // @stepover
  run.steps(kBefore);                                                       // @stepover
  const std::filesystem::path file = scratch_folder() / "run.safetensors";  // @stepover
  save_checkpoint(file, run.checkpoint());
  const std::vector<double> went_on = run.steps(kAfter);  // @stepover

  text(R"(
    How large is the file? Parameters and two averages for each, 12 bytes. The matrix that both ends of the model
    share has two names, and is written under each. The rest is names, step counts and the states of generators.)");
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(file));
  const int64_t N = number_of_parameters(size);  // @stepover
  const int64_t twice = size.vocabulary * size.width;
  const int64_t rest = bytes - 12 * N - 4 * twice;  // @inspect rest
  assert(rest > 0 && rest < 40'000 * kScale);

  text("### The same run");
  text(R"(
    Another run, of another seed, takes the checkpoint and goes on. It has to become the first one *bit for bit*: not
    close, equal. Only then does a difference always mean a mistake.)");
  Run resumed(size, recipe, /*seed=*/99);  // @stepover
  resumed.resume(load_checkpoint(file, kDevice));
  const std::vector<double> same = resumed.steps(kAfter);     // @stepover
  assert(same == went_on);                                    // @tol rel=2e-2 *
  assert(largest_difference(resumed.model, run.model) == 0);  // @stepover

  text("### Without the optimizer's state");
  text(R"(
    Now the mistake. Only the model is taken back, and AdamW begins anew: its averages know one gradient, and divided
    by its own size each number of it becomes about 1. Every parameter moves by the whole learning rate, in whichever
    direction one batch says.)");
  Run forgetful(size, recipe, /*seed=*/99);  // @stepover
  forgetful.resume(load_checkpoint(file, kDevice), /*with_optimizer=*/false);
  const std::vector<double> other = forgetful.steps(kAfter);  // @stepover
  assert(other[0] == went_on[0]);                             // the same parameters, batch and dropout @tol rel=2e-2 *
  // @tol rel=2e-2 *
  table({{"Step", arange(kBefore, kBefore + kAfter)},
         {"Never stopped", went_on},
         {"Resumed", same},
         {"Resumed without the optimizer's state", other}});
  const double worst = (tensor(other) - tensor(went_on)).max().item();
  assert(worst > 0.05);  // @tol rel=0.5 *

  // @tol rel=0.5 *
  text(R"(
    The first loss is equal, since the parameters are. From then on it is worse, by up to {:.2f}. In a long run this
    is a spike in the curve, after each stop one, and it looks as if the data were to blame.)",
       worst);
  callout(Callout::example, R"(
    Run for 10 steps and save. Resume twice, once in the program that is running, once in a new process. Compare the
    losses of the next steps with `==`. It takes a minute and finds each of the five parts that one can forget.)",
          "A test for every training program");
}
