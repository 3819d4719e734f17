// Lecture 5, how its models are trained and compared.

#include "training.h"

#include <sstream>

#include "../shared/bible.h"

namespace {

// The first characters of a text without the labels of its verses, a token for each.
Tensor characters(std::string_view labelled, std::size_t count) {
  std::vector<int64_t> codes;
  std::istringstream lines{std::string(labelled.substr(0, 2 * count))};
  for (std::string line; codes.size() < count && std::getline(lines, line);) {
    for (const char character : line.substr(line.find(' ') + 1) + '\n') codes.push_back(character & 127);
  }
  return tensor(codes);
}

const Tokens& old_testament() {
  static const Tokens tokens = characters(bible().old_testament, 1'000'000);
  return tokens;
}
const Tensor& new_testament() {
  static const Tensor tokens = characters(bible().new_testament, 200'000);
  return tokens;
}

Tensor balanced(const Transformer& model, Tensor loss) {
  for (const Block& block : model.blocks) {
    if (block.sparse) loss = loss + 0.01 * block.sparse->balance;
  }
  return loss;
}

}  // namespace

std::vector<double> descend(const nn::Module& model, const Recipe& recipe, const std::function<Tensor()>& loss) {
  optim::AdamW optimizer(model.parameters(), {.lr = recipe.rate, .betas = {0.9, 0.95}, .weight_decay = 0});
  const optim::Schedule schedule = optim::linear_warmup_cosine(
      {.warmup_steps = recipe.warmup, .total_steps = recipe.steps, .min_lr = recipe.rate / 10, .start_factor = 0.1});
  std::vector<double> losses;
  for (int64_t step = 0; step < recipe.steps; ++step) {
    optimizer.zero_grad();
    optimizer.param_groups()[0]["lr"] = schedule(step, recipe.rate);
    const Tensor now = loss();
    now.backward();
    nn::utils::clip_grad_norm_(model.parameters(), 1);
    optimizer.step();
    losses.push_back(now.item<double>());
  }
  return losses;
}

Trained train(Transformer& model, const Recipe& recipe, std::uint64_t seed) {
  const int64_t T = model.choices.context;
  Generator generator = Generator().manual_seed(seed);
  Trained trained;
  trained.losses = descend(model, recipe, [&] {
    const auto [inputs, targets] = get_batch(old_testament(), recipe.batch, T, &generator);
    return balanced(model, loss_of(model, inputs, targets));
  });
  const NoGradGuard no_grad;
  Generator same = Generator().manual_seed(7);
  const auto [inputs, targets] = get_batch(new_testament(), 128, T, &same);
  trained.held_out = loss_of(model, inputs, targets).item();
  return trained;
}

double Runs::mean() const {
  double sum = 0;
  for (const Trained& run : each) sum += run.held_out;
  return sum / static_cast<double>(each.size());
}
double Runs::lowest() const {
  return std::ranges::min(each, {}, &Trained::held_out).held_out;
}
double Runs::highest() const {
  return std::ranges::max(each, {}, &Trained::held_out).held_out;
}

Runs runs_of(const Choices& choices, int64_t seeds, const Recipe& recipe) {
  Runs runs;
  for (int64_t seed = 0; seed < seeds; ++seed) {
    Transformer model = seeded(choices, static_cast<std::uint64_t>(seed));
    runs.each.push_back(train(model, recipe, static_cast<std::uint64_t>(seed)));
  }
  return runs;
}

double entropy_of_characters() {
  const Tensor counts = bincount(new_testament(), 128).to(float64);
  const Tensor p = counts / counts.sum();
  return -xlogy(p, p).sum().item<double>();
}

PlotSeries mean_curve(const std::string& name, const Runs& runs, int64_t step) {
  Tensor sum = zeros({static_cast<int64_t>(runs.each[0].losses.size())}, {.dtype = float64});
  for (const Trained& run : runs.each) sum = sum + tensor(run.losses, {.dtype = float64});
  const int64_t points = sum.numel() / step;
  const Tensor means = sum.narrow(0, 0, points * step).view({points, step}).mean({1});
  return {name, arange(0, points * step, step), means / static_cast<double>(runs.each.size())};
}
