// Lecture 4, the memory of a step: parameters, and what each operation keeps.

#include <functional>

#include "figures.h"
#include "parts.h"

namespace {

void counted_parameters(), kept_by_operations(), kept_by_neighbours(), kept_by_a_block(), memory_over_a_step();

}  // namespace

void memory_of_a_step() {
  text("## The memory of a step");
  text(R"(
    Four things are in memory: parameters, gradients, the optimizer's state, and activations. With AdamW the first three
    take one, one and two elements per parameter. The fourth depends on the batch.)");
  counted_parameters();
  kept_by_operations();
  kept_by_neighbours();
  kept_by_a_block();
  memory_over_a_step();
  callout(Callout::note, R"(
    Gradients and activations overlap little: where the activations are highest there are no gradients yet. So the peak
    is lower than the sum of all four, unless gradients are kept from one batch to the next, as when they accumulate.)",
          "Not all at once");
}

namespace {

void counted_parameters() {
  text("### Parameters");
  text(R"(
    A block of width $d$ has four $d \times d$ matrices in attention (queries, keys, values, output), and two of $d
    \times 4 d$ in its MLP: $4 d^2 + 8 d^2$. Their biases are $4 d$ and $4 d + d$, the two norms have a weight and a
    bias each, $4 d$. Together $12 d^2 + 13 d$.)");
  const int64_t d = 64;
  const nn::TransformerBlock block(d, 2);           // @stepover
  const int64_t in_block = block.num_parameters();  // @inspect in_block
  assert(in_block == 12 * d * d + 13 * d);
  text(R"(
    Embeddings of $V$ tokens and of $T$ positions add $(V + T) d$, the last norm $2 d$, and a head that is not tied
    to the embedding $V d$ more.)");
  const nn::GPT gpt({.vocab_size = 100, .context_length = 32, .width = d, .layers = 3, .heads = 2});  // @stepover
  const int64_t in_gpt = gpt.num_parameters();                                                        // @inspect in_gpt
  assert(in_gpt == (100 + 32) * d + 3 * (12 * d * d + 13 * d) + 2 * d);
}

using Operation = std::function<Tensor(const Tensor&)>;

// Bytes that an operation keeps for its backward pass: what remains when its input, its result and all but the
// graph are gone.
int64_t kept_by(const Operation& operation, const Tensor& leaf) {
  const int64_t before = memory_allocated();
  Tensor loss;
  {
    const Tensor x = leaf * 1;
    loss = operation(x).sum();
  }
  return memory_allocated() - before - loss.nbytes();
}

void kept_by_operations() {
  text("### What an operation keeps");
  text(R"(
    To differentiate an operation one needs the values at which it is differentiated, unless it is linear in them.
    A sum needs nothing. $y = x w$ needs $x$ for the gradient of $w$, and $w$, which is there anyway, for that of $x$.
    $e^x$ needs $e^x$, its own result. Here are operations of a Transformer on $n \cdot d$ elements, and what is left in
    memory when everything but the graph has been freed:)"),
      link(kept_by);
  const int64_t n = 64, d = 32;
  const Tensor leaf = randn({n, d}).requires_grad_();
  const nn::Linear linear(d, d);
  const nn::LayerNorm layer_norm(d);
  const nn::RMSNorm rms_norm(d);
  struct Row {
    std::string name, why;
    Operation operation;
    int64_t predicted;  // elements
  };
  const std::vector<Row> rows = {
      // @stepover
      {"`x + y`", "nothing: it is linear", [&](const Tensor& x) { return x + leaf; }, 0},
      {"`linear(x)`", "its input", [&](const Tensor& x) { return linear(x); }, n * d},
      {"`relu(x)`", "its result", [](const Tensor& x) { return relu(x); }, n * d},
      {"`gelu(x)`", "its input", [](const Tensor& x) { return gelu(x); }, n * d},
      {"`softmax(x)`", "its result", [](const Tensor& x) { return softmax(x, -1); }, n * d},
      {"`layer_norm(x)`", "its input; the mean and the inverse standard deviation of each row",
       [&](const Tensor& x) { return layer_norm(x); }, n * d + 2 * n},
      {"`rms_norm(x)`", "its input; the inverse root mean square of each row",
       [&](const Tensor& x) { return rms_norm(x); }, n * d + n},
      {"`dropout(x)`", "its mask, here in float32", [](const Tensor& x) { return dropout(x, 0.1); }, n * d}};
  std::vector<TableRow> measured;
  for (const Row& row : rows) {  // @stepover
    const int64_t bytes = kept_by(row.operation, leaf);
    assert(bytes == 4 * row.predicted);
    measured.push_back({row.name, row.why, 4 * row.predicted, bytes});
  }
  table({"Operation", "Keeps", "Bytes, predicted", "Measured"}, measured,
        {.caption = fmt::format("For n = {} tokens of d = {} float32 elements: n d of them are {} bytes.", n, d,
                                with_commas(4 * n * d))});
}

void kept_by_neighbours() {
  text(R"(
    Neighbouring operations may share what they keep. A `linear` after a `gelu` keeps the result of `gelu`, for which
    `gelu` itself has no use. After a `relu` or a `softmax` it keeps the same tensor as they do, and memory holds it
    once.)");
  const int64_t n = 64, d = 32;
  const Tensor leaf = randn({n, d}).requires_grad_();
  const nn::Linear up(d, d), down(d, d);
  const int64_t with_gelu = kept_by([&](const Tensor& x) { return down(gelu(x)); }, leaf);  // @stepover
  const int64_t with_relu = kept_by([&](const Tensor& x) { return down(relu(x)); }, leaf);  // @stepover
  assert(with_gelu == 2 * 4 * n * d);
  assert(with_relu == 4 * n * d);
  exercise(R"(
    A gated MLP computes `down(silu(gate(x)) * up(x))`, with a hidden width $f$. How many elements does it keep per
    token? How does that compare with `down(gelu(up(x)))` of hidden width $4 d$, when $f = 8 d / 3$ gives both the same
    number of parameters?)",
           R"(
    Its input, once for both layers; what goes into `silu`; both factors of the elementwise product; and what goes into
    `down`: $d + 4 f$. With $f = 8 d / 3$ that is $11.7 d$. The other keeps its input and what goes into `gelu` and out
    of it, $9 d$: the gate costs nearly a third more.)");
  const nn::Linear gate(d, 3 * d), wide(d, 3 * d), narrow(3 * d, d);
  const auto gated = [&](const Tensor& x) { return narrow(silu(gate(x)) * wide(x)); };  // @stepover
  const int64_t of_gated = kept_by(gated, leaf);                                        // @stepover
  assert(of_gated == 4 * n * (d + 4 * 3 * d));
  assert(std::lround(10 * (1 + 4 * 8 / 3.)) == 117 && std::lround(100 * (1 + 4 * 8 / 3.) / 9) == 130);
}

// Bytes that a block keeps for n tokens when attention stores no weights: for each token 16 d elements of its dtype,
// and two of float32 for each of two norms.
int64_t block_activation_bytes(int64_t n, int64_t d, int64_t element_size) {
  return 16 * n * d * element_size + 2 * 2 * n * 4;
}

void kept_by_a_block() {
  text("### What a block keeps");
  text(R"(
    Now add up. For each token a block keeps, in units of $d$ elements: what goes into the first norm (1) and into the
    three projections (1), queries, keys and values (3), what goes into the output projection (1), into the second norm
    (1), into the MLP (1), into `gelu` (4) and out of it (4). That makes 16, and the statistics of the norms.)"),
      link(block_activation_bytes);
  const int64_t B = 4, T = 32, d = 64;
  std::vector<TableRow> rows;
  for (const Dtype dtype : {float32, bfloat16}) {  // @stepover
    const nn::TransformerBlock block(d, 2, {.dtype = dtype});
    const Tensor leaf = randn({B, T, d}).to(dtype).requires_grad_();
    const int64_t kept = kept_by([&](const Tensor& x) { return block(x, {.is_causal = true}); }, leaf);
    const int64_t predicted = block_activation_bytes(B * T, d, element_size(dtype));
    assert(kept == predicted);
    rows.push_back({fmt::format("`{}`", name(dtype)), predicted, kept});
  }
  table({"A block in", "Bytes, predicted", "Measured"}, rows);
  text(R"(
    In 16 bits that is $32\, n d$ bytes. The formula that is quoted most, $34\, n d$, has two more dropouts, whose masks
    take one byte per element. Its second term, $5 B H T^2$ bytes, belongs to an attention that stores its
    weights: for each of them 2 bytes for the softmax's result, 1 for a dropout mask, 2 for the dropout's result.)"),
      link(works::activation_recomputation);
  const accounting::Transformer shape{.width = 64, .layers = 1, .heads = 2};
  const double nd = 4. * 32 * 64;
  assert(accounting::layer_activation_bytes(shape, 4, 32, accounting::Recomputation::attention) == 34 * nd);
  assert(accounting::layer_activation_bytes(shape, 4, 32) == 34 * nd + 5. * 4 * 2 * 32 * 32);
}

void memory_over_a_step() {
  text("### Over a step");
  text(R"(
    Activations come and go. They pile up through the forward pass and are freed in reverse order, while gradients
    take their place. With all but the smallest batches the peak is where one pass ends and the other begins. Here is
    the memory of a small GPT, read after each of its six blocks:)");
  const int64_t V = 64, d = 48, layers = 6, B = 4, T = 48;
  manual_seed(0);
  nn::GPT model({.vocab_size = V, .context_length = T, .width = d, .layers = layers, .heads = 2});  // @stepover
  optim::AdamW optimizer(model.parameters());
  const Tensor tokens = randint(V, {B, T}), targets = randint(V, {B, T});
  std::vector<MemoryMark> marks;
  const auto mark = [&](const std::string& label) { marks.push_back({label, memory_by_category()}); };
  const auto step = [&](bool marked) {  // @stepover
    if (marked) mark("begin");
    Tensor x = model.token_embedding(tokens) + model.position_embedding(arange(T));
    for (const nn::TransformerBlock& block : model.blocks) {
      x = block(x, {.is_causal = true});
      if (!marked) continue;
      mark("forward");
      autograd::register_hook(x, [&](const Tensor&) {
        mark("backward");
        return Tensor();
      });
    }
    Tensor loss = cross_entropy(model.head(model.norm(x)).flatten(0, 1), targets.flatten());
    x = Tensor();
    if (marked) mark("loss");
    loss.backward();
    loss = Tensor();
    if (marked) mark("backward");
    optimizer.step();
    if (marked) mark("step");
    optimizer.zero_grad();
    if (marked) mark("zero_grad");
  };
  step(false);  // the optimizer's state comes with its first step
  step(true);
  // @stepover
  image(memory_curve(marks),
        {.alt =
             "Stacked areas of memory over one training step. Parameters and the optimizer's state are constant. "
             "Activations rise evenly through the forward pass, are highest at the loss, and fall through the backward "
             "pass. Gradients rise meanwhile, and count as temporary until the pass is over. The step changes nothing; "
             "zero_grad takes the gradients away.",
         .caption =
             "Memory over the second step, in kilobytes, by what it serves. Gradients count as temporary until the "
             "backward pass is over."});
  const int64_t N = model.num_parameters();
  const auto at = [&](const std::string& label) { return std::ranges::find(marks, label, &MemoryMark::label)->bytes; };
  const MemoryByCategory at_loss = at("loss");  // @stepover @inspect at_loss
  const MemoryByCategory at_step = at("step");  // @stepover @inspect at_step
  assert(at_loss[MemoryCategory::parameter] == 4 * N);
  assert(at_loss[MemoryCategory::gradient] == 0);
  assert(at_loss[MemoryCategory::activation] > layers * block_activation_bytes(B * T, d, 4));
  assert(at_step[MemoryCategory::gradient] == 4 * N);
  assert(at_step[MemoryCategory::activation] == 0);
  const auto tensors = static_cast<int64_t>(model.parameters().size());
  assert(at_step[MemoryCategory::optimizer] == 8 * N + 4 * tensors);
}

}  // namespace
