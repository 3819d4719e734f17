// Lecture 4, what optimizers keep and compute, and how they go wrong.

#include "parts.h"

namespace {

void what_they_take(), a_stall(), horizons(), factors();

}  // namespace

void optimizers() {
  text("## Optimizers");
  what_they_take();
  a_stall();
  horizons();
  factors();
}

namespace {

struct UpdateCost {
  double state, flops, bytes;  // for each parameter
};

// Of the second step; the first makes the state.
UpdateCost update_cost(optim::Optimizer& optimizer, const nn::Parameter& p) {
  p.mutable_grad() = ones_like(p);
  const int64_t before = memory_allocated();
  optimizer.step();
  const auto numbers = static_cast<double>(p.numel());
  const double state = static_cast<double>(memory_allocated() - before) / numbers;
  const CountScope scope;
  optimizer.step();
  const Counters cost = scope.counted();
  return {state, static_cast<double>(cost.flops) / numbers, static_cast<double>(cost.bytes) / numbers};
}

void what_they_take() {
  text("### What they take");
  text("Measured on one matrix of $1{,}024 \\times 1{,}024$, per parameter:");
  const nn::Parameter p(zeros({1024, 1024}));
  optim::SGD sgd({p}, {.lr = 1e-3});
  optim::SGD momentum({p}, {.lr = 1e-3, .momentum = 0.9});
  optim::Adagrad adagrad({p});
  optim::RMSprop rmsprop({p});
  optim::AdamW adamw({p});
  optim::Lion lion({p});
  optim::Adafactor adafactor({p});
  optim::Muon muon({p});
  struct Row {
    const char* name;
    UpdateCost cost;
    const char* wrong;
  };
  const Row costs[] = {
      // @stepover
      {"SGD", update_cost(sgd, p), "one rate for all, however their gradients differ in size"},
      {"SGD with momentum", update_cost(momentum, p), "the same; and steps become $1 / (1 - \\beta)$ times as long"},
      {"AdaGrad", update_cost(adagrad, p), "stalls: the sum of squares only grows"},
      {"RMSProp", update_cost(rmsprop, p), "the first steps are too large: its average begins at zero"},
      {"AdamW", update_cost(adamw, p), "slow to notice a change, some $1 / (1 - \\beta_2)$ steps; the largest state"},
      {"Lion", update_cost(lion, p), "every step has the same length; rates 3 to 10 times smaller than AdamW's"},
      {"Adafactor", update_cost(adafactor, p), "the matrix of mean squares is not a column times a row"},
      {"Muon", update_cost(muon, p), "for matrices of hidden layers only; many operations"}};
  std::vector<TableRow> rows;
  for (const auto& [called, cost, wrong] : costs) {  // @stepover
    const std::string flops =
        cost.flops < 1000 ? fmt::format("{:.4g}", cost.flops) : with_commas(std::lround(cost.flops));
    rows.push_back({called, fmt::format("{:.3g}", cost.state), flops, fmt::format("{:.3g}", cost.bytes), wrong});
  }
  table({"Optimizer", "State", "FLOPs", "Moved", "What goes wrong"}, rows,
        {.caption = "State and what is moved in bytes; each tensor is counted as read or written once."});
  const auto state_of = [&](std::size_t i) { return std::lround(costs[i].cost.state); };
  assert(state_of(0) == 0 && state_of(1) == 4 && state_of(2) == 4 && state_of(3) == 4 && state_of(5) == 4);
  assert(state_of(4) == 8 && state_of(6) == 0 && state_of(7) == 4);
  const double of_muon = costs[7].cost.flops;  // @inspect of_muon
  text(R"(
    All but Muon do a few operations per parameter. Muon makes its update nearly orthogonal, in five steps of three
    products each, which are $5 \cdot 6 k$ operations per parameter of a square matrix of $k$ rows. The passes do $6 n$
    with $n$ tokens: 30,720 is 1 % of that with half a million tokens, and five times as much with a thousand.)"),
      link(works::lion), link(works::muon);
  assert(of_muon > 30 * 1024 && of_muon < 30 * 1024 + 100);
  assert(std::lround(1000 * 30720 / (6 * 524288.)) == 10 && 30720 == 5 * 6 * 1024);
}

void a_stall() {
  text("### AdaGrad's stall");
  text(R"(
    With a constant gradient $g$, step $t$ of AdaGrad has the length $\eta\, |g| / \sqrt{t g^2} = \eta / \sqrt t$, and
    after $t$ steps it has covered a distance of $\eta \sum_{i \le t} 1 / \sqrt i \approx 2 \eta \sqrt t$. Adam's steps
    all have the length $\eta$. Sixteen times the distance takes Adam 16 times the steps, and AdaGrad 256 times:)"),
      link(works::adagrad);
  const double lr = 0.01;
  const nn::Parameter p(zeros({1})), q(zeros({1}));
  optim::Adagrad adagrad({p}, {.lr = lr});
  optim::Adam adam({q}, {.lr = lr});
  std::vector<double> of_adagrad = {0}, of_adam = {0};
  for (int t = 1; t <= 1024; ++t) {  // @stepover
    p.mutable_grad() = full({1}, -3.);
    q.mutable_grad() = full({1}, -3.);
    adagrad.step();
    adam.step();
    of_adagrad.push_back(p.item());
    of_adam.push_back(q.item());
  }
  double sum = 0;
  for (int i = 1; i <= 1024; ++i) sum += lr / std::sqrt(i);  // @stepover
  const double distance = of_adagrad.back();                 // @inspect distance sum
  assert(std::abs(distance / sum - 1) < 1e-4);
  assert(std::abs(distance / (2 * lr * std::sqrt(1024)) - 1) < 0.03);
  assert(std::abs(of_adam.back() / (lr * 1024) - 1) < 1e-4);
  line_plot(
      {{"Adam", of_adam}, {"AdaGrad", of_adagrad}},
      {.x = "step",
       .y = "distance",
       .legend = "optimizer",
       .alt = "The distance that two optimizers cover with a constant gradient in 1,024 steps. Adam's is a straight "
              "line up to 10.24, AdaGrad's a flattening curve that ends at 0.63.",
       .caption = "The same gradient in each step, and a learning rate of 0.01."});
}

// Steps until the average of squares has covered that share of a change.
int64_t steps_to_notice(double beta, double share) {
  int64_t steps = 0;
  for (double average = 0; average < share; ++steps) average = beta * average + (1 - beta);
  return steps;
}

void horizons() {
  text("### Adam's horizons");
  text(R"(
    A running average with $\beta$ has seen $1 - \beta^k$ of a change after $k$ steps: about 63 % after $1 / (1 -
    \beta)$, 90 % after $\ln 0.1 / \ln \beta$.)"),
      link(works::adam);
  std::vector<TableRow> rows;
  for (const double beta : {0.9, 0.95, 0.99, 0.999}) {  // @stepover
    const auto predicted = static_cast<int64_t>(std::ceil(std::log(0.1) / std::log(beta)));
    assert(steps_to_notice(beta, 0.9) == predicted);
    rows.push_back({beta, std::round(1 / (1 - beta)), predicted});
  }
  table({"β", "1 / (1 − β)", "Steps to see 90 % of a change"}, rows);
  text(R"(
    What that does to a step: let gradients be 1 for 3,000 steps, and then 100. The average of gradients follows within
    some 20 steps, that of squares takes 2,300. In between steps are too long, by up to this factor:)");
  const auto longest_step = [](double beta2) {  // @stepover
    const nn::Parameter p(zeros({1}));
    optim::Adam adam({p}, {.lr = 1, .betas = {0.9, beta2}});
    double longest = 0;
    for (int t = 0; t < 3200; ++t) {
      const double before = p.item();
      p.mutable_grad() = full({1}, t < 3000 ? 1. : 100.);
      adam.step();
      longest = std::max(longest, std::abs(p.item<double>() - before));
    }
    return longest;
  };
  const double with_999 = longest_step(0.999);  // @inspect with_999 @tol rel=1e-3 with_999
  const double with_95 = longest_step(0.95);    // @inspect with_95 @tol rel=1e-3 with_95
  assert(with_999 > 5 && with_95 < 2);          // @tol rel=1e-3 *
  text(R"(
    In a long run, such steps may show as a spike of the loss. Language models are often trained with $\beta_2 = 0.95$
    and clipped gradients, as GPT-3 was.)"),
      link(works::gpt3);
}

void factors() {
  text("### Adafactor's factors");
  text(R"(
    Adafactor keeps, in place of the matrix $V$ of average squares, the means of its rows $r_i$ and of its columns
    $c_j$, and takes
    $$\hat V_{ij} = \frac{r_i c_j}{\overline r}$$
    For an $m \times n$ matrix these are $m + n$ elements. If $V$ is a column times a row, the estimate is exact:)"),
      link(works::adafactor);
  const auto estimate = [](const Tensor& squares) {  // @stepover
    const Tensor r = squares.mean({1}, /*keepdim=*/true), c = squares.mean({0}, /*keepdim=*/true);
    return r * c / r.mean();
  };
  Generator generator = Generator().manual_seed(0);
  const Tensor u = rand({64, 1}, {}, &generator) + 0.1, v = rand({1, 48}, {}, &generator) + 0.1;
  const Tensor exact = u * v;
  assert(estimate(exact).allclose(exact, 1e-5, 1e-8));
  text(R"(
    In any case the sums of rows and columns are right. But a single large element is spread over its row and its
    column. Its neighbours there get a divisor that is too large, and steps that are too short, here by a factor of
    seven:)");
  const Tensor squares = full({64, 48}, 1e-4);
  squares[7][5].fill_(1);
  const Tensor spread = estimate(squares);
  assert(spread.sum({1}).allclose(squares.sum({1}), 1e-4, 1e-6));
  const float there = spread[7][5].item();                             // @inspect there
  const float divisor = (spread[7][6] / squares[7][6]).sqrt().item();  // @inspect divisor
  assert(there < 1 && std::lround(divisor) == 7);
}

}  // namespace
