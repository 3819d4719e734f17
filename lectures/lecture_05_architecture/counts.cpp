// Lecture 5, the model and what its choices cost, before anything is trained.

#include "model.h"

namespace {

void formulas_hold();

}  // namespace

int64_t parameters_of(const Choices& c) {
  const int64_t d = c.width, f = c.hidden, kv = c.kv_heads * c.head_width(), bias = c.biases ? 1 : 0;
  const int64_t norm = c.biases && !c.rms ? 2 * d : d;
  const int64_t of_latent = 2 * d * d + 3 * d * c.latent + d * (c.heads + 1) * c.rotary_width();  // and no biases
  const int64_t attention = c.latent > 0 ? of_latent : 2 * d * d + 2 * d * kv + bias * (2 * d + 2 * kv);
  const int64_t expert = (c.gated ? 3 : 2) * d * f + bias * ((c.gated ? 2 : 1) * f + d);
  const int64_t feed_forward = c.experts > 1 ? c.experts * (expert + d) : expert;
  const int64_t embeddings = (c.tied ? 1 : 2) * c.vocabulary * d;
  const int64_t places = c.positions == Positions::learned ? c.context * d : 0;
  return embeddings + places + c.layers * (attention + feed_forward + 2 * norm) + (c.post_norm ? 0 : norm);
}

int64_t forward_flops_of(const Choices& c, int64_t sequences) {
  const int64_t d = c.width, f = c.hidden, kv = c.kv_heads * c.head_width(), bias = c.biases ? 1 : 0;
  const int64_t k = c.head_width(), r = c.latent, turning = c.rotary_width();
  const bool is_latent = r > 0;
  // For each token: products, biases, norms, sums, activations, rotations.
  const int64_t projections = is_latent ? 2 * (2 * d * d + 3 * d * r + d * (c.heads + 1) * turning)
                                        : 2 * (2 * d * d + 2 * d * kv) + bias * (2 * d + 2 * kv);
  const int64_t rotations = 3 * (is_latent ? (c.heads + 1) * turning : turning * (c.heads + c.kv_heads));
  const int64_t feed_forward = (c.gated ? 6 * d * f + 2 * f : 4 * d * f + f) + bias * ((c.gated ? 2 : 1) * f + d);
  const int64_t norm = c.rms ? 4 * d : (7 + bias) * d;
  const int64_t sums = 2 * d;
  const int64_t places = c.positions == Positions::learned ? d : 0;
  const int64_t token = c.layers * (projections + rotations + feed_forward + sums + 2 * norm) + places +
                        (c.post_norm ? 0 : norm) + 2 * c.vocabulary * d;
  // For each pair of a query and a key that it sees: two products and the softmax. Queries are scaled first.
  const int64_t features = is_latent ? k + turning : k;
  const int64_t pairs = c.context * (c.context + 1) / 2;
  const int64_t attention = c.layers * c.heads * (pairs * (2 * features + 2 * k + 5) + c.context * features);
  return sequences * (c.context * token + attention);
}

int64_t cached_numbers_of(const Choices& c) {
  return c.layers * (c.latent > 0 ? c.latent + c.rotary_width() : 2 * c.kv_heads * c.head_width());
}

void the_model() {
  text("## One model, many choices");
  text(R"(
    The model is the GPT of lecture 3, written so that each part can be exchanged. By default it has GPT-2's parts: a
    norm before each sublayer, LayerNorm, biases, gelu, learned positions, as many heads of keys and values as of
    queries, and one matrix for both ends.)"),
      link(works::gpt2), link(works::transformer);
  const Choices gpt2;  // @inspect gpt2
  text("The parts are modules of some lines each. Read them now or when their section comes:");
  link<Norm>(), link<GroupedAttention>(), link<LatentAttention>(), link<FeedForward>(), link<Experts>(), link<Block>(),
      link<Transformer>();
  text(R"(
    What a choice costs follows from its sizes. Three functions compute it: the parameters, the operations of a forward
    pass (those of experts come in their own section), and the numbers that are kept of each token while text is
    generated. They are the formulas of this lecture, in one place.)");
  link(parameters_of), link(forward_flops_of), link(cached_numbers_of);
  formulas_hold();
  text(R"(
    They count all operations, not only products: norms, activations and softmax, too. In a model of this size these are
    a few percent; in a large one products are nearly everything.)");
}

namespace {

// A forward pass of four sequences, counted.
int64_t counted_flops(const Choices& choices) {
  const NoGradGuard no_grad;
  const Transformer model = seeded(choices, 0);
  const Tensor input = randint(choices.vocabulary, {4, choices.context});
  const CountScope scope;
  (void)model(input);
  return scope.counted().flops;
}

void formulas_hold() {
  text("Are they right? For each of these choices they are compared with what is counted while the model runs:");
  const std::vector<std::pair<std::string, Choices>> changes = {
      {"GPT-2's choices", {}},
      {"norms after the sum", {.post_norm = true}},
      {"RMSNorm", {.rms = true}},
      {"no biases", {.biases = false}},
      {"no biases, gated", {.hidden = 128, .biases = false, .gated = true}},
      {"rotary positions", {.positions = Positions::rotary}},
      {"rotary, 2 heads of keys and values", {.kv_heads = 2, .positions = Positions::rotary}},
      {"rotary, 1 head of keys and values", {.kv_heads = 1, .positions = Positions::rotary}},
      {"rotary, latent attention", {.latent = 24, .positions = Positions::rotary}},
      {"two matrices at the ends", {.tied = false}}};
  std::vector<TableRow> rows;
  bool all_hold = true;
  for (const auto& [name, choices] : changes) {  // @stepover
    const int64_t parameters = seeded(choices, 0).num_parameters(), flops = counted_flops(choices);
    all_hold = all_hold && parameters == parameters_of(choices) && flops == forward_flops_of(choices, 4);
    rows.push_back({name, parameters, flops});
  }
  table({"Choices", "Parameters", "FLOPs"}, rows,
        {.caption = "Counted, and exactly what the formulas give. Forward passes of 4 sequences of 32 tokens."});
  assert(all_hold);
}

}  // namespace
