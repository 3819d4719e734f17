// Lecture 3, which learning rate?

#include "run.h"

// A run with a learning rate of its own.
struct Trial {
  double rate;
  std::vector<double> losses;  // one for each step
  double held_out;             // the loss at the end
};

// With a model that is small on a GPU, too.
std::vector<Trial> tried(const std::vector<double>& rates) {
  const ModelSize small{.context = 64, .width = 64, .layers = 2, .heads = 2};
  std::vector<Trial> trials;
  for (const double rate : rates) {
    const Recipe recipe{.learning_rate = rate, .steps = 80, .warmup = 8, .batch = 8};
    Run run(small, recipe);
    const std::vector<double> losses = run.steps(recipe.steps);
    run.model.eval();
    trials.push_back({rate, losses, held_out_loss(run.model)});
  }
  return trials;
}

void learning_rates() {
  text("## Which learning rate?");
  text(R"(
    If there is time to tune only one number, it is this one. No formula gives it; one tries a few, each about three
    times the one before, in runs that are short but have the whole schedule. All else stays as it is, the seed too,
    so that the runs differ in nothing but the rate.)");
  const std::vector<double> rates = {3e-4, 1e-3, 3e-3, 1e-2, 3e-2};  // @inspect rates
  const std::vector<Trial> trials = tried(rates);                    // @stepover
  std::vector<PlotSeries> curves;
  std::vector<TableRow> rows;
  for (const auto& [rate, losses, held_out] : trials) {  // @stepover
    curves.push_back(loss_curve(fmt::format("{:g}", rate), losses));
    rows.push_back({rate, fmt::format("{:.2f}", held_out)});
  }
  // The curve of 0.03 is chaotic at first, above what is shown: other last digits become a twentieth.
  // @tol rel=2e-1 *
  line_plot(curves, {.x = "step",
                     .y = "loss",
                     .legend = "learning rate",
                     .y_min = 4,
                     .y_max = 6.5,
                     .alt = "Five curves of the loss over 80 steps. With a rate of 0.0003 it falls slowly and "
                            "steadily, with 0.001 faster, with 0.003 to the lowest end of all. With 0.01 it falls "
                            "fastest at first and ends higher, and with 0.03 it stays above 5.",
                     .caption = "The same run with five learning rates."});
  table({"Learning rate", "Held-out loss at the end"}, rows);  // @tol rel=5e-2 *
  text(R"(
    Too small, and the run is slow: it would get there, ten times later. Too large, and steps overshoot: what one step
    learned the next one destroys. In the first steps 0.01 is ahead of 0.003, and later behind: who stops early
    chooses a rate that is too large.)");
  assert(trials[2].held_out < trials[1].held_out && trials[1].held_out < trials[0].held_out);  // @tol rel=5e-2 *
  assert(trials[2].held_out < trials[3].held_out && trials[3].held_out < trials[4].held_out);  // @tol rel=5e-2 *
  assert(trials[3].losses[8] < trials[2].losses[8]);                                           // @tol rel=5e-2 *
  callout(Callout::note, R"(
    The best rate of a short run is not that of a long one, nor that of a larger model: both want smaller ones. What
    carries over is the method.)",
          "How far it carries");
}
