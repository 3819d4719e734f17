// Lecture 5, mixture of experts.

#include "../shared/with_commas.h"
#include "model.h"

namespace {

void routing(), what_it_costs(), balance(), mixtral();

}  // namespace

void experts() {
  text("## Mixture of experts");
  text(R"(
    Most parameters are in the feed-forward networks, and each token uses all of them. A **mixture of experts** has $E$
    such networks in a layer, and a router that sends each token to the $k$ of them that it scores highest. Parameters
    grow with $E$, operations with $k$.)"),
      link(works::mixture_of_experts), link(works::switch_transformer);
  image("figures/lecture_05_architecture/experts.svg",
        {.alt =
             "Four tokens below, four experts above, a router between. Each token has lines to two experts. The second "
             "expert gets three tokens, the fourth only one.",
         .caption = "Each token goes to two of four experts. Nothing makes sure that all experts get equally many.",
         .width = 560});
  routing();
  what_it_costs();
  balance();
  mixtral();
}

namespace {

void routing() {
  text("### Routing");
  text(R"(
    The router is a linear layer with a score for each expert. Of the softmax of these scores the $k$ largest values are
    kept, and divided by their sum. Each expert gets the rows of the tokens that chose it, in one batch, and what it
    returns is added to these rows of the result, times that share.)"),
      link<Experts>();
  const Choices choices = {.experts = 4, .chosen = 2};
  manual_seed(4);
  const Experts layer(choices);  // @stepover
  const Tensor x = randn({1, 6, choices.width});
  const Tensor p = softmax(layer.router(x[0]), -1);  // @inspect p @tol abs=1e-4 p
  const auto [largest, which] = topk(p, 2);          // @inspect which
  const NoGradGuard no_grad;
  const Tensor y = layer(x);       // @stepover
  const Tensor load = layer.load;  // @inspect load
  text("By hand, for the first token:");
  const Tensor share = largest[0] / largest[0].sum();  // @inspect share @tol abs=1e-4 share
  const Tensor row = x[0].narrow(0, 0, 1);
  const auto expert = [&](int64_t rank) {
    return layer.each[static_cast<std::size_t>(which[0][rank].item<int64_t>())](row);
  };
  const Tensor by_hand = share[0] * expert(0) + share[1] * expert(1);  // @stepover
  assert(y[0].narrow(0, 0, 1).allclose(by_hand, 1e-4, 1e-5));
  assert(load.sum().item<int64_t>() == 6 * 2);
  text(R"(
    The choice of the $k$ largest has no derivative: an expert that was not chosen learns nothing from this token, and
    the router learns only through the shares. That is enough if several experts have shares; for $k = 1$ the value of
    the softmax is taken as it is, without the division, or the share would always be 1.)");
}

void what_it_costs() {
  text("### Parameters and operations");
  const Choices dense;
  const Choices sparse = {.experts = 4, .chosen = 2};
  const int64_t d = dense.width, f = dense.hidden;
  const int64_t more = parameters_of(sparse) - parameters_of(dense);  // @stepover @inspect more
  assert(more == dense.layers * (3 * (2 * d * f + f + d) + 4 * d));
  const int64_t counted = seeded(sparse, 0).num_parameters();  // @stepover @inspect counted
  assert(counted == parameters_of(sparse));                    // @stepover
  text(R"(
    Operations: each token takes the router's $2 d E$, and $k$ networks. How many tokens an expert gets makes no
    difference to the sum. Here is what is counted in a layer, and a formula with the products, biases and gelu; the
    rest is softmax, weighting and adding up:)");
  manual_seed(4);
  const Experts layer(sparse);  // @stepover
  const int64_t n = 512;
  const Tensor x = randn({1, n, d});
  const NoGradGuard no_grad;
  const CountScope scope;
  (void)layer(x);                                                                           // @stepover
  const int64_t flops = scope.counted().flops;                                              // @inspect flops
  const int64_t formula = n * (2 * d * 4 + 2 * (4 * d * f + 2 * f + d));                    // @inspect formula
  const double rest = static_cast<double>(flops - formula) / static_cast<double>(formula);  // @inspect rest
  assert(rest > 0 && rest < 0.02);
  const Tensor load = layer.load;  // @inspect load
  assert(load.sum().item<int64_t>() == 2 * n);
}

void balance() {
  text("### Balance");
  text(R"(
    An untrained router may be about fair, as above, but it does not stay so: an expert that gets more tokens learns
    faster, becomes better, and gets still more. Where experts are on different GPUs all wait for the busiest. So a
    second loss is added. With $f_e$ the share of choices that went to expert $e$, and $P_e$ the mean of its softmax
    values,

    $$\text{balance} = E \sum_e f_e P_e .$$

    The shares $f_e$ are counts, without a derivative; the gradient goes through $P_e$, and takes most from the expert
    that has most. If all are equal the loss is 1. If one expert gets everything, with a probability of 1, it is $E$. An
    untrained router is in between, here with features that are all positive:)");
  const Choices choices = {.experts = 4, .chosen = 1};
  manual_seed(5);
  const Experts untrained(choices);  // @stepover
  const Experts collapsed(choices);  // @stepover
  const NoGradGuard no_grad;
  const Tensor x = rand({1, 400, choices.width});
  collapsed.router.weight.zero_();
  collapsed.router.weight[2].fill_(10);    // the features are positive: the third expert always wins
  (void)untrained(x), (void)collapsed(x);  // @stepover
  // @stepover @inspect of_untrained of_collapsed @tol abs=1e-2 *
  const double of_untrained = untrained.balance.item(), of_collapsed = collapsed.balance.item();
  assert(collapsed.load.equal(tensor({0, 0, 400, 0})));  // @stepover
  assert(std::abs(of_collapsed - 4) < 1e-4);
  assert(of_untrained < of_collapsed);
  exercise(R"(
    On GPUs each expert often has room for $C$ tokens only, its *capacity*; those beyond are dropped, and pass the layer
    in the residual stream alone. With 1,000 tokens, $k = 1$ and loads of 400, 300, 200 and 100, how many are dropped if
    $C$ is 1.25 times the fair share?)",
           R"(
    The fair share is 250, $C$ = 312. Of the first expert's 400 tokens 88 are dropped, of the others' none: 8.8 %.)");
  const std::vector<int64_t> loads = {400, 300, 200, 100};
  int64_t dropped = 0;
  for (const int64_t of_expert : loads) dropped += std::max<int64_t>(0, of_expert - 312);  // @stepover
  assert(dropped == 88);
}

void mixtral() {
  text("### In Mixtral");
  text(R"(
    Mixtral 8x7B has the architecture of Mistral 7B with 8 experts in each layer, of which a token takes 2. From the
    sizes in its paper:)"),
      link(works::mixtral);
  const int64_t d = 4096, layers = 32, f = 14'336, kv = 8 * 128, vocabulary = 32'000;
  const int64_t expert = 3 * d * f;                                                                   // @inspect expert
  const int64_t others = layers * (2 * d * d + 2 * d * kv + 8 * d + 2 * d) + 2 * vocabulary * d + d;  // @inspect others
  const int64_t all = layers * 8 * expert + others;                                                   // @inspect all
  const int64_t used = layers * 2 * expert + others;                                                  // @inspect used
  assert(std::lround(static_cast<double>(all) / 1e8) == 467);
  assert(std::lround(static_cast<double>(used) / 1e8) == 129);
  text(R"(
    {} parameters, of which a token uses {}: 46.7 and 12.9 billion. It is not 8 times 7, since the experts share the
    attention. It **needs the memory of the first number and the operations of the second**. To generate for one text, a
    step reads only two experts of each layer; for a large batch, all eight.)",
       with_commas(all), with_commas(used));
}

}  // namespace
