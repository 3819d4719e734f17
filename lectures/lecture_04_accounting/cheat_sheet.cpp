// Lecture 4, its formulas on one page, and what to take away.

#include "plan.h"

namespace {

// For the model and the plan of the last section.
std::vector<TableRow> sheet() {
  using accounting::Recomputation;
  using accounting::ZeroStage;
  const Plan plan;
  const double N = accounting::count_parameters(kModel).total(), D = plan.tokens;
  const double d = kModel.width, L = kModel.layers, T = kModel.context, V = kModel.vocabulary, B = plan.sequences;
  const double flops = accounting::six_n_d(N, D);
  const auto bytes = [](double value) { return rounded_bytes(value, 3); };
  const auto duration = [](double seconds) { return rounded_duration(seconds, 3); };
  const auto held = [&](ZeroStage stage) {
    return bytes(accounting::training_memory(N, accounting::OptimizerState::adam, accounting::kMasterCopyTraining,
                                             stage, plan.gpus)
                     .total());
  };
  const auto activations = [&](Recomputation what) { return bytes(accounting::activation_bytes(kModel, B, T, what)); };
  const accounting::OptimalSize best = accounting::optimal_size(flops);
  return {
      {"Parameters", "$(V + T) d + L (12 d^2 + 13 d) + 2 d$", with_commas(static_cast<int64_t>(N))},
      {"Operations, by the rule", "$6 N D$", rounded_number(flops, 3)},
      {"Operations, by products", "$3 D (24 d^2 L + 2 d (T + 1) L + 2 V d)$",
       rounded_number(accounting::training_flops_per_token(kModel, T) * D, 3)},
      {"Attention's share of a block's operations", "$(T + 1) / (12 d + T + 1)$",
       fmt::format("{:.1f} %", 100 * (T + 1) / (12 * d + T + 1))},
      {"Time", "$6 N D / (R \\cdot P \\cdot \\text{MFU})$",
       duration(accounting::training_seconds(flops, plan.gpus, kH100.bits16, plan.mfu))},
      {"Best size for as many operations", "$N = \\sqrt{C / 120}$", rounded_count(best.parameters, 2)},
      {"State", "$16 N$", held(ZeroStage::none)},
      {"State, ZeRO 1", "$4 N + 12 N / R$", held(ZeroStage::optimizer)},
      {"State, ZeRO 2", "$2 N + 14 N / R$", held(ZeroStage::gradients)},
      {"State, ZeRO 3", "$16 N / R$", held(ZeroStage::parameters)},
      {"Activations, attention in pieces", "$34 B T d L + 5 B H T^2 L$", activations(Recomputation::none)},
      {"Activations, attention fused", "$34 B T d L$", activations(Recomputation::attention)},
      {"Activations, layers recomputed", "$2 B T d L$, and one layer with attention in pieces",
       activations(Recomputation::full)},
      {"Logits and their gradient", "$8 B T V$", bytes(8 * B * T * V)},
      {"A step's operations take", "$6 N n / (R \\cdot P \\cdot \\text{MFU})$",
       duration(accounting::training_seconds(accounting::six_n_d(N, plan.step_tokens()), plan.gpus, kH100.bits16,
                                             plan.mfu))},
      {"A step's update takes at least", "$28 N / \\beta$", duration(28 * N / kH100.memory_bandwidth)},
      {"A GPU sends in a step", "$2 \\cdot 2 N (R - 1) / R$", bytes(accounting::all_reduce_bytes(2 * N, plan.gpus))},
      {"Generating a token takes at least", "$2 N / \\beta$, in int8 $N / \\beta$",
       fmt::format("{} and {}", duration(2 * N / kH100.memory_bandwidth), duration(N / kH100.memory_bandwidth))},
      {"Keys and values of a sequence", "$4 L T d$", bytes(accounting::kv_cache_bytes(kModel, T, 1))},
      {"A checkpoint", "$12 N$", bytes(12 * N)}};
}

}  // namespace

void cheat_sheet() {
  text("## Cheat sheet");
  text(R"(
    For the worked model: $d = 2048$, $L = 24$, $H = 32$, $V = 32000$, $T = 2048$, $D = 300 \cdot 10^9$, on $R = 8$
    H100s with $P = 989.5 \cdot 10^{12}$ operations and $\beta = 3.35 \cdot 10^{12}$ bytes a second, an MFU of 1/2,
    $B = 8$ sequences at a time on a GPU and $n = 524288$ tokens in a step. Every cell on the right was computed when
    this page was made.)");
  table({"What", "Formula", "Here"}, sheet());  // @stepover
  text("## What to take away");
  text(R"(
    - There are two budgets. Compute decides how large a model is worth training, memory how it is divided. 32 H100s
      train 12.6 billion parameters in two weeks, at an MFU of 1/2.
    - An operation keeps what its derivative needs: nothing if it is linear in its operands, else an operand or its
      result. Add up, and the sum is right to the byte.
    - Forward and backward are paid for each token, the update for each step.
    - Large matrix products are limited by operations, everything else by bytes. There, fewer operations are not less
      time.
    - Mixed precision halves activations and traffic, not the state. Its rounding drowns in the gradient's noise, as
      long as it is noise.
    - Recomputation buys memory with a third more operations; fused attention with a few, and gains time.
    - ZeRO's first two stages cost nothing but code: the same bytes are sent.
    - Compare optimizers each at its own best rate.
    - Once a model is trained, eight bits can be enough for its weights; what counts is how many share a scale.)");
}
