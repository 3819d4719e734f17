// Lecture 4, a run of 1.28 billion parameters, planned from end to end.

#include "plan.h"

namespace {

void how_large(), how_long(), what_fits(), what_is_left();

}  // namespace

void a_worked_model() {
  text("## A worked model");
  text(R"(
    A model of width 2,048 with 24 layers, 32 heads and a vocabulary of 32,000 is to be trained on 300 billion tokens of
    text, on one node of 8 H100s, with sequences of 2,048 tokens. Nothing is measured here; the formulas were checked
    above.)");
  how_large();
  how_long();
  what_fits();
  what_is_left();
}

namespace {

void how_large() {
  text("### How large?");
  const accounting::TransformerParameters parts = accounting::count_parameters(kModel);  // @stepover @inspect parts
  const double N = parts.total();                                                        // @inspect N
  const double d = kModel.width, L = kModel.layers;
  assert(N == (32000 + 2048) * d + L * (12 * d * d + 13 * d) + 2 * d);
  assert(std::lround(N / 1e7) == 128);
  text("1.28 billion; $12 d^2 L$ alone would be 1.21.");
  assert(std::lround(12 * d * d * L / 1e7) == 121);
}

void how_long() {
  text("### How long?");
  const Plan plan;
  const double N = accounting::count_parameters(kModel).total();
  const double by_rule = accounting::six_n_d(N, plan.tokens);  // @inspect by_rule
  const double days =
      accounting::training_seconds(by_rule, plan.gpus, kH100.bits16, plan.mfu) / 86400;  // @inspect days
  assert(std::lround(10 * days) == 67);
  text(R"(
    6.7 days, by the rule of $6 N D$. Counted by the products themselves, with attention and without the lookup of
    positions, it is somewhat more:)");
  const double by_products =
      accounting::training_flops_per_token(kModel, kModel.context) * plan.tokens;  // @inspect by_products
  const double more = by_products / by_rule;                                       // @inspect more
  assert(more > 1.07 && more < 1.08);
  text(R"(
    300 billion tokens are 235 per parameter, not 20. By the rule of 20, a model of 4.4 billion parameters on 88 billion
    tokens would reach a lower loss with as many operations; the small one is cheaper whenever it is used. The rule
    minimises the loss for a given cost of training, and leaves out the cost of use.)");
  const double per_parameter = plan.tokens / N;                            // @inspect per_parameter
  const accounting::OptimalSize best = accounting::optimal_size(by_rule);  // @inspect best
  assert(std::lround(per_parameter) == 235);
  assert(std::lround(best.parameters / 1e8) == 44 && std::lround(best.tokens / 1e9) == 88);
}

void what_fits() {
  text("### What fits?");
  const double N = accounting::count_parameters(kModel).total();
  const double state = 16 * N;  // @inspect state
  assert(std::abs(state / 20.45e9 - 1) < 1e-3);
  text(R"(
    20.5 GB of 80 for the state, if every GPU has all of it. For each sequence there are the activations of 24
    layers, with fused attention, and the logits: 2,048 times 32,000, in float32, and as many for their gradient.)");
  const double of_sequence = accounting::activation_bytes(
      kModel, 1, kModel.context, accounting::Recomputation::attention);  // @inspect of_sequence
  const double of_logits = 2 * 4 * kModel.context * kModel.vocabulary;   // @inspect of_logits
  const auto sequences_in = [&](double share) {                          // @stepover
    return std::floor((share * kH100.memory - state) / (of_sequence + of_logits));
  };
  const double sequences = sequences_in(1);  // @inspect sequences
  assert(sequences == 15 && sequences_in(0.9) == 13 && sequences_in(0.8) == 11);
  text(R"(
    Fifteen at most. With 10 to 20 % of the memory left for what is temporary, and for gaps between allocations,
    between 11 and 13; we take 8. What would attention in pieces keep for the 8, and what if every layer of that were
    recomputed?)");
  const double in_pieces =
      accounting::activation_bytes(kModel, 8, kModel.context, accounting::Recomputation::none);  // @inspect in_pieces
  assert(std::lround(in_pieces / 1e9) == 156);
  const double recomputed =
      accounting::activation_bytes(kModel, 8, kModel.context, accounting::Recomputation::full);  // @inspect recomputed
  assert(recomputed < 0.1 * in_pieces);
  text(R"(
    156 GB, nearly twice what the GPU has, and 8 GB. Recomputation costs a third more operations, and is not needed
    here: fused attention keeps 27 GB.)");
  assert(std::lround(recomputed / 1e9) == 8 && std::lround(8 * of_sequence / 1e9) == 27);
}

void what_is_left() {
  text("### What else takes time?");
  const Plan plan;
  const double N = accounting::count_parameters(kModel).total();
  text("With four batches accumulated, a step is half a million tokens on 8 GPUs.");
  const double tokens = plan.step_tokens();  // @inspect tokens
  const double steps = plan.steps();         // @inspect steps
  assert(tokens == 524288 && std::lround(steps) == 572205);
  const double flops = accounting::six_n_d(N, tokens);
  const double compute = accounting::training_seconds(flops, plan.gpus, kH100.bits16, plan.mfu);  // @inspect compute
  text(R"(
    The update reads and writes 28 bytes per parameter: 16 for the averages, 8 for the copy, 2 for the gradient and 2
    for the bfloat16 parameter. Gradients are summed over the ring once in a step, at 450 GB/s, the rate of NVLink in
    one direction.)"),
      link(works::h100);
  const double update = 28 * N / kH100.memory_bandwidth;                                // @inspect update
  const double communication = accounting::all_reduce_bytes(2 * N, plan.gpus) / 450e9;  // @inspect communication
  assert(update < 0.02 * compute && communication < 0.02 * compute);
  text(R"(
    About 1 % each, of a step of one second. Without accumulation both would be four times that share. A checkpoint from
    which the run can go on takes 12 bytes per parameter, for the copy and the averages: 15.3 GB.)");
  const double checkpoint = 12 * N;  // @inspect checkpoint
  assert(std::lround(checkpoint / 1e8) == 153);
}

}  // namespace
