// Lecture 4, the operations of a step.

#include "parts.h"

namespace {

void where_six_comes_from(), what_grows_with_the_batch(), gradient_of_a_bias();

}  // namespace

void operations_of_a_step() {
  text("## The operations of a step");
  where_six_comes_from();
  what_grows_with_the_batch();
  gradient_of_a_bias();
}

namespace {

void where_six_comes_from() {
  text("### Where the six comes from");
  text(R"(
    A layer multiplies $n$ rows by a matrix of $p$ parameters: $y = x w$, one multiplication and one addition for
    each row and parameter, $2 n p$. Its backward pass gets $\partial L / \partial y$ and computes two products of
    the same size:
    $$\frac{\partial L}{\partial x} = \frac{\partial L}{\partial y} w^\top \qquad \frac{\partial L}{\partial w} =
    x^\top \frac{\partial L}{\partial y}$$
    $2 n p$ each. So forward 2, backward 4, together 6 for each parameter and row. The input of the first layer needs no
    gradient: in a chain of $L$ equal layers, one of the $3 L$ products is left out.)");
  const int64_t n = 128, d = 64, layers = 4;
  manual_seed(0);
  nn::ModuleList<nn::Linear> chain(layers, d, d, nn::LinearOptions{.bias = false});  // @stepover
  const int64_t p = layers * d * d;                                                  // @inspect p
  const Tensor data = randn({n, d});
  const CountScope forward_scope;
  Tensor x = data;
  for (const nn::Linear& layer : chain) x = layer(x);     // @stepover
  const int64_t forward = forward_scope.counted().flops;  // @inspect forward
  const Tensor incoming = ones({n, d});
  const CountScope backward_scope;
  x.backward(incoming);                                     // @stepover
  const int64_t backward = backward_scope.counted().flops;  // @inspect backward
  assert(forward == 2 * n * p);
  assert(backward == 4 * n * p - 2 * n * d * d);
  const double share = static_cast<double>(forward + backward) / static_cast<double>(6 * n * p);  // @inspect share
  assert(share == accounting::share_without_input_gradient(layers));
  text(R"(
    In a Transformer the first product follows an embedding, which needs a gradient, so all the products that the rule
    of 6 counts are computed. It errs elsewhere. The embeddings of positions, and those of tokens unless the head is
    tied to them, are only looked up. And attention multiplies activations with each other, without any parameter:
    forward $2 d (T + 1)$ operations per token and layer of a causal model, if what is masked is left out, and nearly
    twice as many if it is not. Relative to the $24 d^2$ of a block's matrices, the former is $(T + 1) / (12 d)$.)"),
      link(works::transformer_flops);
  const auto share_of_attention = [](double width, double time) {  // @stepover
    const accounting::Transformer model{.context = time, .width = width};
    const accounting::TransformerFlops flops = accounting::forward_flops_per_token(model, time);
    return flops.attention / (flops.projections + flops.mlp);
  };
  const auto percent = [&](double width, double time) {
    return fmt::format("{:.1f} %", 100 * share_of_attention(width, time));
  };
  table({"Attention, relative to the matrices", "T = 1,024", "T = 8,192", "T = 65,536"},
        {{"d = 768", percent(768, 1024), percent(768, 8192), percent(768, 65536)},
         {"d = 2,048", percent(2048, 1024), percent(2048, 8192), percent(2048, 65536)},
         {"d = 8,192", percent(8192, 1024), percent(8192, 8192), percent(8192, 65536)}});  // @stepover
  assert(std::abs(share_of_attention(2048, 8192) - 8193 / (12. * 2048)) < 1e-12);
}

// What one step costs with a batch of that many sequences.
struct StepCosts {
  int64_t sequences;
  Counters forward, backward, update;
};

StepCosts step_costs(const nn::GPTConfig& config, int64_t sequences) {
  const nn::GPT model(config);
  optim::AdamW optimizer(model.parameters());
  const Tensor tokens = randint(config.vocab_size, {sequences, config.context_length});
  const Tensor targets = randint(config.vocab_size, {sequences, config.context_length});
  const auto counted = [](const auto& work) {
    const CountScope scope;
    work();
    return scope.counted();
  };
  Tensor loss;
  const auto predict = [&] { loss = cross_entropy(model(tokens).flatten(0, 1), targets.flatten()); };
  predict();
  loss.backward();
  optimizer.step();  // the first step makes the state
  optimizer.zero_grad();
  StepCosts costs{.sequences = sequences, .forward = {}, .backward = {}, .update = {}};
  costs.forward = counted(predict);
  costs.backward = counted([&] { loss.backward(); });
  costs.update = counted([&] { optimizer.step(); });
  return costs;
}

void what_grows_with_the_batch() {
  text("### What grows with the batch");
  text("Forward and backward do their work for each token. The update does not depend on how many there were:");
  const nn::GPTConfig config{.vocab_size = 64, .context_length = 32, .width = 32, .layers = 2, .heads = 2};
  const int64_t N = config.num_parameters();  // @inspect N
  std::vector<StepCosts> costs;
  for (const int64_t sequences : {1, 2, 4, 8, 16}) costs.push_back(step_costs(config, sequences));  // @stepover
  std::vector<TableRow> rows;
  for (const auto& [sequences, forward, backward, update] : costs) {  // @stepover
    rows.push_back({sequences, forward.flops, backward.flops, update.flops, update.bytes});
  }
  table({"Sequences", "Forward, FLOPs", "Backward", "AdamW", "AdamW, bytes"}, rows);
  for (std::size_t i = 1; i < costs.size(); ++i) {  // @stepover
    assert(costs[i].forward.flops - 1 == 2 * (costs[i - 1].forward.flops - 1));
    assert(costs[i].update == costs[0].update);
  }
  assert(costs[0].update.flops == 14 * N);
  assert(costs[0].update.bytes == 28 * N);
  text(R"(
    In the forward pass the proportion is exact, but for the one division of the mean. In the backward pass a few
    operations do not grow with the batch. The matrix that serves at both ends of the model, for example, gets a
    gradient from each, and the two are added once.)");
  const int64_t constant = 2 * costs[0].backward.flops - costs[1].backward.flops;  // @inspect constant
  for (std::size_t i = 2; i < costs.size(); ++i) {                                 // @stepover
    assert(2 * costs[i - 1].backward.flops - costs[i].backward.flops == constant);
  }
  assert(constant < costs[0].backward.flops / 1000);
  text(R"(
    The 14 operations of AdamW are negligible, its 28 bytes are not. On an H100 at half of its peak, the passes take
    $6 n / (0.5 \cdot 989.5 \cdot 10^{12})$ seconds per parameter for $n$ tokens, the update at least
    $28 / (3.35 \cdot 10^{12})$. With how many tokens on a GPU are they equal?)");
  const double tokens_where_equal =
      28 / kH100.memory_bandwidth * (0.5 * kH100.bits16) / 6;  // @inspect tokens_where_equal
  assert(std::lround(tokens_where_equal) == 689);
  text(R"(
    689 tokens. With fewer, the update takes longer than the passes. That is one reason for large batches, and for
    dividing the update among GPUs, which ZeRO does.)");
  exercise(
      "With 16,384 tokens on each GPU, how long does the update take, relative to the passes? And if 8 GPUs divide it?",
      "689 / 16,384 = 4.2 %; divided among 8 GPUs an eighth of that, 0.5 %.");
  const double part = tokens_where_equal / 16384;  // @inspect part
  assert(std::lround(1000 * part) == 42 && std::lround(1000 * part / 8) == 5);
}

void gradient_of_a_bias() {
  text("### What a bias costs");
  text(R"(
    A layer of $d$ inputs and $k$ outputs has $d k$ weights and $k$ biases, which add $n k$ operations forward. Its
    gradient is the sum of the incoming gradient over all rows, $\partial L / \partial b = \sum_i \partial L /
    \partial y_i$: another $n k$, and not $k$, as it is sometimes counted.)");
  const int64_t n = 256, d = 64, k = 96;
  const Tensor data = randn({n, d}), incoming = randn({n, k});
  const auto backward_of = [&](bool bias) {  // @stepover
    const nn::Linear layer(d, k, {.bias = bias});
    const Tensor y = layer(data.clone().requires_grad_());
    const CountScope scope;
    y.backward(incoming);
    return scope.counted();
  };
  const Counters with = backward_of(true);           // @inspect with
  const Counters without = backward_of(false);       // @inspect without
  const int64_t flops = with.flops - without.flops;  // @inspect flops
  assert(flops == n * k);
  text(R"(
    That is one operation to $4 d$ of the products. Its share of the time is larger: the products use each element that
    they fetch many times, whereas the sum reads all of $\partial L / \partial y$ once more, 4 bytes per addition.)");
  const int64_t bytes = with.bytes - without.bytes;  // @inspect bytes
  assert(without.flops == 4 * d * flops);
  assert(bytes >= 4 * (n * k + k));
}

}  // namespace
