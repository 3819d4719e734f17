// Lecture 5, where to normalise, and how.

#include "training.h"

namespace {

void pre_and_post(), deep_models(), layer_and_rms(), biases();

}  // namespace

void norms() {
  text("## Norms");
  pre_and_post();
  deep_models();
  layer_and_rms();
  biases();
}

namespace {

// The standard deviation of what goes from block to block.
std::vector<double> deviations(bool post_norm) {
  const NoGradGuard no_grad;
  const Transformer model = seeded({.layers = 12, .post_norm = post_norm}, 0);
  Tensor x = randn({8, 32, model.choices.width});
  std::vector<double> all = {x.std().item<double>()};
  for (const Block& block : model.blocks) {
    x = block(x);
    all.push_back(x.std().item());
  }
  return all;
}

void pre_and_post() {
  text("### Before or after?");
  text(R"(
    A block adds to a sum that goes through all of them, the **residual stream**. The first Transformer normalised the
    sum, that is *after* each sublayer $f$; today's models normalise what a sublayer reads, *before* it:

    $$\text{post: } x \leftarrow \operatorname{norm}(x + f(x))$$
    $$\text{pre: } x \leftarrow x + f(\operatorname{norm}(x))$$)");
  image("figures/lecture_05_architecture/pre_post.svg",
        {.alt = "Two blocks side by side. On the left, post-norm: attention and feed-forward network each add to the "
                "line that goes up, and the line itself runs through a norm after each. On the right, pre-norm: the "
                "line goes straight up, and norms stand on the branches, before attention and feed-forward network.",
         .caption = "Left: the sum passes through the norms. Right: it has a free path from bottom to top.",
         .width = 560});
  text(R"(
    With pre-norm the last state is a plain sum, $x_L = x_0 + \sum_l f_l$. Its derivative to any earlier state
    contains the identity, undiminished. With post-norm it does not: if $x$ and $f(x)$ have variance 1 and are
    uncorrelated, their sum has variance 2, and the norm divides both by $\sqrt 2$. Of its input, a block with its two
    sublayers passes on a half; $L$ blocks pass on $2^{-L}$.)");
  const double share_after_12 = std::pow(0.5, 12);  // @inspect share_after_12
  assert(share_after_12 == 1 / 4096.);
  text(R"(
    The price of the free path is that the sum's variance grows, each time by that of a sublayer, so that late blocks
    change it less and less. Twelve untrained blocks show it:)");
  const std::vector<double> pre = deviations(false);  // @stepover
  const std::vector<double> post = deviations(true);  // @stepover
  // @tol rel=1e-3 *
  line_plot({{"pre-norm", pre}, {"post-norm", post}},
            {.x = "blocks",
             .y = "standard deviation",
             .y_min = 0,
             .points = true,
             .alt = "The standard deviation of the residual stream after each of 12 blocks. With post-norm it is 1 "
                    "everywhere. With pre-norm it grows with every block, from 1 to 3.3, at first faster than later.",
             .caption = "What goes from block to block, before training.",
             .height = 160});
  assert(std::abs(post.back() - 1) < 0.01);
  assert(pre.back() > 1.5 * pre.front() && std::ranges::is_sorted(pre));
}

void deep_models() {
  text("### At depth");
  text(R"(
    Eight blocks, both ways, from the same initial weights, with the same batches and the same warm-up. The text is the
    King James Bible, a token for each character; both are trained twice, with two seeds for weights and batches.)");
  link(descend);
  const Recipe recipe{.steps = 60, .warmup = 20, .rate = 1e-2};            // @inspect recipe
  const Runs pre = runs_of({.layers = 8}, 2, recipe);                      // @stepover
  const Runs post = runs_of({.layers = 8, .post_norm = true}, 2, recipe);  // @stepover
  // @tol rel=5e-2 *
  line_plot({mean_curve("pre-norm", pre, 2), mean_curve("post-norm", post, 2)},
            {.x = "step",
             .y = "loss",
             .y_min = 2.5,
             .y_max = 4,
             .alt = "Two curves of the loss over 60 steps, means of two seeds. Both fall to about 3 within some twenty "
                    "steps. There the one of post-norm stays; the one of pre-norm goes on falling, to about 2.7.",
             .caption = "Eight blocks with pre-norm and with post-norm."});
  // @tol abs=0.1 *
  table({"8 blocks", "Held-out loss, mean", "lowest", "highest"},
        {{"pre-norm", fmt::format("{:.2f}", pre.mean()), fmt::format("{:.2f}", pre.lowest()),
          fmt::format("{:.2f}", pre.highest())},
         {"post-norm", fmt::format("{:.2f}", post.mean()), fmt::format("{:.2f}", post.lowest()),
          fmt::format("{:.2f}", post.highest())}});
  assert(pre.highest() + 0.1 < post.lowest());          // @tol abs=0.1 *
  const double by_frequency = entropy_of_characters();  // @stepover @inspect by_frequency
  assert(std::abs(post.mean() - by_frequency) < 0.15);  // @tol abs=0.1 *
  text(R"(
    Post-norm learns how frequent each character is, and stays there: that alone gives a loss of {:.2f}, and needs
    nothing of what the blocks read. It is not that such models cannot be trained. The first Transformer and BERT had
    post-norm, with warm-up over thousands of steps, which pre-norm can do without. With two blocks, at the end of this
    lecture, post-norm does get further, at least with some seeds.)",
       by_frequency),
      link(works::pre_norm);
}

void layer_and_rms() {
  text("### LayerNorm and RMSNorm");
  text(R"(
    LayerNorm subtracts the mean of the features and divides by their standard deviation. RMSNorm leaves the mean as it
    is, and divides by the root of the mean square:

    $$\operatorname{LN}(x) = \frac{x - \bar x}{\sqrt{\frac1d \sum_i (x_i - \bar x)^2 + \epsilon}} \odot w + b$$
    $$\operatorname{RMS}(x) = \frac{x}{\sqrt{\frac1d \sum_i x_i^2 + \epsilon}} \odot w$$

    So LayerNorm is RMSNorm of $x - \bar x$, with a bias. And neither depends on the length of $x$:)"),
      link(works::layer_norm), link(works::rms_norm);
  const int64_t rows = 512, d = 1024;
  manual_seed(0);
  const Tensor x = randn({rows, d}) + 0.5;
  assert(layer_norm(x, {d}).allclose(rms_norm(x - x.mean({-1}, true), {d}, {}, 1e-5), 1e-4, 1e-5));
  assert(rms_norm(1000 * x, {d}).allclose(rms_norm(x, {d}), 1e-4, 1e-5));
  text(R"(
    RMSNorm sums no mean, subtracts none and adds no bias: 4 operations for each number instead of 8. Both read their
    input once and write their result once.)");
  const Tensor w = ones({d}), b = zeros({d});
  const CountScope of_layer_norm;
  (void)layer_norm(x, {d}, w, b);
  const Counters layer = of_layer_norm.counted();  // @inspect layer.flops layer.bytes
  const CountScope of_rms_norm;
  (void)rms_norm(x, {d}, w);
  const Counters rms = of_rms_norm.counted();  // @inspect rms.flops rms.bytes
  assert(layer.flops == 8 * rows * d && rms.flops == 4 * rows * d);
  assert(layer.bytes == 4 * (2 * rows * d + 2 * d + 2 * rows));  // with a mean and a deviation of each row
  assert(rms.bytes == 4 * (2 * rows * d + d + rows));
  const double same_bytes = static_cast<double>(rms.bytes) / static_cast<double>(layer.bytes);  // @inspect same_bytes
  assert(same_bytes > 0.998);
  const double intensity = static_cast<double>(layer.flops) / static_cast<double>(layer.bytes);  // @inspect intensity
  assert(intensity < 1);
  text(R"(
    **Half the operations, the same bytes.** At one operation for each byte both wait for memory, so that half the
    operations do not take half the time:)");
  // @stepover @inspect layer_seconds @volatile
  const double layer_seconds = measure_seconds([&] { (void)layer_norm(x, {d}, w, b); });
  // @stepover @inspect rms_seconds @volatile
  const double rms_seconds = measure_seconds([&] { (void)rms_norm(x, {d}, w); });
  // @volatile
  text("LayerNorm took {:.0f} µs here, in this run, RMSNorm {:.0f} µs.", 1e6 * layer_seconds, 1e6 * rms_seconds);
  text(R"(
    Nor do operations say what a norm costs in a model. In the training of a layer of BERT with PyTorch, norms and
    softmax were 0.17 % of the operations, and took 25.5 % of the time.)"),
      link(works::data_movement);
  exercise(R"(
    What do the two norms give for $x + c$, with the same number $c$ added to each feature?)",
           R"(
    LayerNorm gives the same as for $x$: the mean takes $c$ away. RMSNorm does not: for a large $c$ all its results are
    near $\pm w$, and $x$ is lost in the last digits. It relies on the model not building up such a mean.)");
  assert(layer_norm(x + 100, {d}).allclose(layer_norm(x, {d}), 1e-2, 1e-3));
  assert((rms_norm(x + 1e4, {d}) - 1).abs().max().item() < 1e-2);
}

void biases() {
  text("### Biases");
  text(R"(
    Each linear layer of GPT-2 adds a bias. A block has $4 d$ of them in attention, $f + d = 5 d$ in the feed-forward
    network and $2 d$ in the norms, beside $12 d^2$ weights: the wider the model, the smaller their share.)");
  const Choices with;
  const Choices without = {.biases = false};
  const int64_t of_biases = parameters_of(with) - parameters_of(without);  // @stepover @inspect of_biases
  assert(of_biases == with.layers * 11 * with.width + with.width);
  const auto share = [](double d) { return 11 * d / (12 * d * d + 13 * d); };
  const double of_ours = share(48), of_gpt3 = share(12'288);  // @inspect of_ours of_gpt3
  assert(of_ours < 0.02 && of_gpt3 < 1e-4);
  text(R"(
    One of them does nothing at all. Add $b$ to every key: the scores of a query become $q \cdot k_j + q \cdot b$, with
    the same number added for each $j$. Softmax ignores it.)");
  const Choices plain = {.positions = Positions::none};
  manual_seed(1);
  GroupedAttention attention(plain);  // @stepover
  const Tensor x = randn({2, 8, plain.width});
  const Tensor before = attention(x);  // @stepover
  before.square().sum().backward();
  const double gradient = attention.key.bias.grad().abs().max().item();
  assert(gradient < 1e-4 * attention.value.bias.grad().abs().max().item<double>());
  {
    const NoGradGuard no_grad;
    attention.key.bias.add_(3);
  }
  assert(attention(x).allclose(before, 1e-3, 1e-5));  // @stepover
  text(R"(
    Its gradient is zero, too. In GPT-3, with 96 layers of width 12,288, 1.2 million parameters are of this kind. With
    rotary positions it does something, since it is turned by the angle of each key's position. Later models have no
    biases, or few: PaLM's authors write that large models trained more stably without.)"),
      link(works::palm);
}

}  // namespace
