// Lecture 5, the two ends of the model.

#include "model.h"

namespace {

void tied(), rare_words();

}  // namespace

void embeddings() {
  text("## Both ends");
  tied();
  rare_words();
}

namespace {

void tied() {
  text("### Tied weights");
  text(R"(
    The embedding has a row for each token, and so has the last layer: to say which token comes next is to ask whose
    embedding is most like the state. GPT-2 uses one matrix for both. It saves $V d$ parameters, and no operation.)"),
      link(works::tied);
  const Choices one;
  const Choices two = {.tied = false};
  assert(parameters_of(two) - parameters_of(one) == one.vocabulary * one.width);  // @stepover
  assert(forward_flops_of(two, 1) == forward_flops_of(one, 1));                   // @stepover
  text(R"(
    Its gradient is the sum of two: that of the rows that were looked up, and that of the last layer, which reaches
    *every* row, seen or not. Two matrices with the same numbers show it:)");
  Transformer shared = seeded(one, 0), apart = seeded(two, 0);  // @stepover
  apart.load_state_dict(shared.state_dict());                   // @stepover
  manual_seed(6);
  const Tensor input = randint(one.vocabulary, {2, 8}), target = randint(one.vocabulary, {2, 8});
  loss_of(shared, input, target).backward();  // @stepover
  loss_of(apart, input, target).backward();   // @stepover
  const Tensor looked_up = apart.tokens.weight.grad(), last = apart.head.weight.grad();
  assert(shared.tokens.weight.grad().allclose(looked_up + last, 1e-4, 1e-6));
  const int64_t rows_looked_up = looked_up.abs().sum({1}).count_nonzero().item();  // @inspect rows_looked_up
  const int64_t rows_of_last = last.abs().sum({1}).count_nonzero().item();         // @inspect rows_of_last
  assert(rows_looked_up <= 16 && rows_of_last == one.vocabulary);
  exercise(R"(
    What share of the parameters does tying save in GPT-2 (V = 50,257, d = 768), and what share would it save in Llama 3
    70B?)",
           R"(
    GPT-2 has 124.4 million parameters with one matrix, and would have 163.0 million with two: 24 %. Llama 3 70B has
    a vocabulary of 128,256 and a width of 8,192: 1.05 billion, 1.5 % of 70.6. It does not tie: a large model has little
    to save there.)");
  const double of_gpt2 = 50'257. * 768, of_llama3 = 128'256. * 8192;
  const double gpt2 = accounting::count_parameters({}).total();  // @inspect gpt2
  const accounting::Transformer llama3_sizes = {.vocabulary = 128'256,
                                                .width = 8192,
                                                .layers = 80,
                                                .heads = 64,
                                                .kv_heads = 8,
                                                .hidden = 28'672,
                                                .gated = true,
                                                .tied = false,
                                                .biases = false,
                                                .positions = accounting::Positions::rotary,
                                                .norm = accounting::Norm::rms};
  const double llama3 = accounting::count_parameters(llama3_sizes).total();  // @inspect llama3
  assert(std::lround(gpt2 / 1e5) == 1244 && std::lround(100 * of_gpt2 / (gpt2 + of_gpt2)) == 24);
  assert(std::lround(llama3 / 1e8) == 706 && std::lround(1000 * of_llama3 / llama3) == 15);
}

// Rows that are to become targets, each step those of the words that were drawn; and how far off each row still is.
template <typename Optimizer, typename Options>
Tensor left_over(const Tensor& words, const Options& options) {
  const int64_t count = 64;
  const nn::Parameter rows(zeros({count, 4}));
  Optimizer optimizer({rows}, options);
  for (int64_t step = 0; step < words.size(0); ++step) {
    optimizer.zero_grad();
    const Tensor difference = embedding(words[step], rows) - 1;  // all targets are 1
    (0.5 * difference.square().sum({1}).mean()).backward();
    optimizer.step();
  }
  return (rows.detach() - 1).abs().mean({1});
}

void rare_words() {
  text("### Rare words, one rate");
  text(R"(
    As an input, a row of the embedding moves only when its word comes. By Zipf's law the $w$-th most frequent word of a
    text comes about $1/w$ as often as the first. What does a single learning rate make of that? A model of it: 64 rows
    that should all become 1, with the loss $\frac12 \lVert \text{row} - 1 \rVert^2$, and in each step the mean over 16
    words, drawn with these frequencies.)");
  const int64_t steps = 300, batch = 16;
  const Tensor frequencies = 1 / arange(1, 65, 1, {.dtype = float32});
  Generator generator = Generator().manual_seed(8);
  const Tensor words = multinomial(frequencies, steps * batch, true, &generator).view({steps, batch});
  const Tensor times = bincount(words.flatten(), 64);
  const int64_t of_first = times[0].item(), of_last = times[63].item();  // @inspect of_first of_last
  text(R"(
    With SGD and the rate $\eta$, a step in which its word came $c$ times leaves $1 - \eta c / 16$ of what a row lacks.
    After $n$ times altogether about $e^{-\eta n / 16}$ of it is left. A word that comes a hundredth as often needs a
    hundred times as long.)");
  const Tensor with_sgd = left_over<optim::SGD>(words, optim::SGDOptions{.lr = 0.2});  // @stepover
  const Tensor predicted = exp(-0.2 / 16 * times.to(float32));                         // @stepover
  assert(with_sgd.allclose(predicted, 0.2, 0.01));
  text(R"(
    Adaptive methods divide by the root of the mean (AdaGrad: of the sum) of the squares of a row's gradients. If its
    word comes in a share $p$ of the steps, that root is about $\sqrt p$ of what it would be if it always came: in the
    long run the row moves in proportion not to $p$, but to $p / \sqrt p = \sqrt p$. AdaGrad was made for this.)"),
      link(works::adagrad);
  const Tensor with_adagrad = left_over<optim::Adagrad>(words, optim::AdagradOptions{.lr = 0.2});  // @stepover
  const Tensor with_adam = left_over<optim::Adam>(words, optim::AdamOptions{.lr = 0.02});          // @stepover
  const Tensor places = arange(1, 65);
  // @tol abs=1e-2 *
  line_plot(
      places, {{"SGD", with_sgd}, {"AdaGrad", with_adagrad}, {"Adam", with_adam}},
      {.x = "word, from frequent to rare",
       .y = "what is left",
       .y_min = 0,
       .alt =
           "What is left of each row's error after 300 steps, from the most frequent word to the rarest. With SGD it "
           "rises from 0 to about 0.8 for the rarest words. With AdaGrad and Adam it is near 0 for the first 25 words, "
           "and about 0.1 for the rarest, at most 0.3.",
       .caption = "What each row still lacks after 300 steps."});
  const auto rare = [](const Tensor& left) { return left.narrow(0, 48, 16).mean().item<double>(); };
  // @stepover @inspect rare_sgd rare_adagrad rare_adam @tol abs=1e-2 *
  const double rare_sgd = rare(with_sgd), rare_adagrad = rare(with_adagrad), rare_adam = rare(with_adam);
  assert(rare_sgd > 5 * rare_adagrad && rare_sgd > 5 * rare_adam);
  text(R"(
    None of the rates is tuned, and a larger one helps SGD, too, but only up to a bound: $\eta c / 16$ must stay
    below 2, or the row of the most frequent word diverges. At any rate the row of the $w$-th word takes $w$ times
    as many steps as that of the first. For 64 words one can wait for that, for a vocabulary of 50,000 not. One rate
    for all rows is a rate for the most frequent, and that is one reason why language models are trained with
    Adam.)"),
      link(works::heavy_tails);
}

}  // namespace
