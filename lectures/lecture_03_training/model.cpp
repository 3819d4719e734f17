// Lecture 3, a small GPT.

#include "model.h"

void the_model() {
  text("## A small GPT");
  text(R"(
    The model is GPT-2's, only smaller: embeddings of tokens and of positions, blocks of attention and of a
    feed-forward network, and a last layer that gives each token of the vocabulary a score, its *logit*.)"),
      link(works::gpt2);
  const ModelSize size;  // @inspect size
  text(R"(
    Everything is made of modules that lecture 2's tensors and operations make up. `LECTERN_REGISTER` tells a module
    which of its members are to be learned.)"),
      link<Block>(), link<Gpt>();
  manual_seed(0);
  Gpt model(size);
  text("Two sequences of random tokens, to follow once on their way through the model:");
  const Tensor input = randint(size.vocabulary, {2, 8}, {.device = kDevice});
  const Tensor logits = model(input);  // @inspect logits.shape()
  assert(logits.shape() == Sizes({2, 8, size.vocabulary}));

  text("### The first claim");
  text(R"(
    An untrained model should know nothing, and say so: all tokens about equally likely, a loss of about $\ln V$. If
    the first loss is far above that, the weights begin too large; if it is below, targets leak into the inputs.)");
  const Tensor targets = randint(size.vocabulary, {2, 8}, {.device = kDevice});
  const double loss = loss_of(model, input, targets).item();  // @stepover @inspect loss @tol rel=1e-3 loss
  assert(std::abs(loss - std::log(size.vocabulary)) < 0.1 * kScale);
  text("And no position may see what comes after it. Other tokens at the end change nothing before them:");
  const Tensor other = input.clone();
  other.narrow(1, 5, 3).fill_(0);
  const Tensor changed = model(other);  // @stepover
  assert(logits.narrow(1, 0, 5).allclose(changed.narrow(1, 0, 5), 1e-4, 1e-5));
  assert(!logits.narrow(1, 5, 3).allclose(changed.narrow(1, 5, 3), 1e-2, 1e-3));
}

Block::Block(const ModelSize& size)
    : norm1(size.width),
      attention(size.width, size.heads, {.dropout = size.dropout, .batch_first = true}),
      norm2(size.width),
      up(size.width, 4 * size.width),
      down(4 * size.width, size.width),
      dropout(size.dropout) {
  LECTERN_REGISTER(norm1, attention, norm2, up, down, dropout);
}

Tensor Block::operator()(const Tensor& x) const {
  // Tokens look at those before them…
  const Tensor normal = norm1(x);
  const Tensor seen = attention(normal, normal, normal, {.is_causal = true});  // @inspect seen.shape()
  const Tensor attended = x + dropout(seen);
  // …and then each thinks for itself.
  const Tensor thought = down(gelu(up(norm2(attended))));  // @inspect thought.shape()
  return attended + dropout(thought);
}

// Matrices begin small and random; those whose result is added to the sum that goes through all blocks begin smaller,
// so that the sum is the same for any number of them.
void initialize(const Gpt& model, int64_t layers) {
  for (const auto& [name, parameter] : model.named_parameters()) {
    const bool adds = name.ends_with("out_proj.weight") || name.ends_with("down.weight");
    const double std = adds ? 0.02 / std::sqrt(2. * static_cast<double>(layers)) : 0.02;
    if (parameter.dim() == 2) nn::init::normal_(parameter, 0, std);
    if (name.ends_with("bias")) nn::init::zeros_(parameter);
  }
}

Gpt::Gpt(const ModelSize& size)
    : tokens(size.vocabulary, size.width),
      positions(size.context, size.width),
      dropout(size.dropout),
      blocks(size.layers, size),
      norm(size.width),
      head(tokens.weight) {  // one matrix for both ends
  LECTERN_REGISTER(tokens, positions, dropout, blocks, norm, head);
  initialize(*this, size.layers);  // @stepover
  to(kDevice);
}

Tensor Gpt::operator()(const Tensor& input) const {
  const Tensor place = arange(input.size(1), {.device = input.device()});
  Tensor x = dropout(tokens(input) + positions(place));  // @inspect x.shape()
  for (const Block& block : blocks) {
    const auto through = [&block](const Tensor& given) { return block(given); };
    x = is_checkpointed ? autograd::checkpoint(through, x) : block(x);  // @inspect x.shape()
  }
  return head(norm(x));
}

Tensor loss_of(const Gpt& model, const Tensor& inputs, const Tensor& targets) {
  return cross_entropy(model(inputs).flatten(0, 1), targets.flatten());
}
