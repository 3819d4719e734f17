// Lecture 2, stopping and going on.

#include "../shared/scratch_folder.h"
#include "cruncher.h"
#include "optimizer.h"
#include "parts.h"

// Some steps on made-up data; returns the last loss.  @stepover
float train_on(const Cruncher& model, optim::Optimizer& optimizer, Generator& for_data, int steps) {
  float last = 0;
  for (int t = 0; t < steps; ++t) {
    const Tensor x = randn({4, 8}, {}, &for_data);
    const Tensor loss = mse_loss(model(x), x.sum({-1}));
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
    last = loss.item();
  }
  return last;
}

void checkpointing() {
  text("## Checkpoints");
  text("Large trainings do not run through: Llama 3's, on 16,384 GPUs, broke off 419 times in 54 days."),
      link(works::llama3);
  const double hours_between = 54 * 24 / 419.;  // @inspect hours_between
  assert(std::lround(hours_between) == 3);
  text("So from time to time everything is written down that is needed to go on.");
  text(R"(
    What is everything? The parameters, of course; the optimizer's state, which knows how long the steps are;
    the step's number, for the learning rate; and where the generators stand, above all the data's.)");
  Generator for_init = Generator().manual_seed(1), for_data = Generator().manual_seed(2);
  Cruncher model(8, 1, &for_init);  // @stepover
  AdaGrad optimizer(model.parameters(), 0.05);
  train_on(model, optimizer, for_data, 20);
  const ScratchFolder folder;                                     // @stepover
  const std::filesystem::path file = folder / "run.safetensors";  // @stepover
  save_checkpoint(file, {{"model", model.state_dict()},
                         {"optimizer", optimizer.state_dict()},
                         {"data", {{"rng", get_rng_state(for_data)}}}});
  const StateDict saved = load_file(file);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : saved) names.push_back(name);
  // @inspect names
  const auto file_bytes = std::filesystem::file_size(file);  // @inspect file_bytes
  text(R"(
    It is one file of tensors with names, in a format that other programs read, too. It is written beside the
    old one and put in its place at the end: who is interrupted while writing still has the old one.)"),
      link(works::safetensors);
  text("The run goes on for another ten steps:");
  const float uninterrupted = train_on(model, optimizer, for_data, 10);  // @inspect uninterrupted @tol rel=1e-3 *
  text("Now as after a failure: all is made anew, from other seeds, and takes what is in the file.");
  Generator other_init = Generator().manual_seed(3), other_data;
  Cruncher restored(8, 1, &other_init);               // @stepover
  AdaGrad restored_optimizer(restored.parameters());  // its rate is in the file
  const Checkpoint checkpoint = load_checkpoint(file);
  restored.load_state_dict(checkpoint.at("model"));
  restored_optimizer.load_state_dict(checkpoint.at("optimizer"));
  set_rng_state(other_data, checkpoint.at("data").at("rng"));
  const float resumed = train_on(restored, restored_optimizer, other_data, 10);  // @inspect resumed @tol rel=1e-3 *
  assert(resumed == uninterrupted);                                              // @tol rel=1e-3 *
  text(R"(
    Equal, to the last bit. Leave the optimizer's state out, and nothing fails either. But the sums begin
    anew, and steps are as long as in the beginning. For this toy, far from its goal, that is even good; a
    model that is nearly done is thrown off. In either case it is another run:)");
  restored.load_state_dict(checkpoint.at("model"));
  set_rng_state(other_data, checkpoint.at("data").at("rng"));
  AdaGrad forgetful(restored.parameters(), 0.05);
  const float without_state = train_on(restored, forgetful, other_data, 10);  // @inspect without_state @tol rel=1e-3 *
  assert(without_state != uninterrupted);                                     // @tol rel=1e-3 *
}
