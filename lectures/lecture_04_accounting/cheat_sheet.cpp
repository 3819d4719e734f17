// Lecture 4, its formulas on one page, and what to take away.

#include "plan.h"

namespace {

// "2.05e+21" as a person writes it.
std::string power_of_ten(double value) {
  const auto exponent = static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("${:.3g} \\cdot 10^{{{}}}$", value / std::pow(10, exponent), exponent);
}

std::string time_of(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

// For the model and the plan of the last section.
std::vector<TableRow> sheet() {
  using accounting::Recomputation;
  using accounting::ZeroStage;
  const Plan plan;
  const double N = accounting::count_parameters(kModel).total(), D = plan.tokens;
  const double d = kModel.width, L = kModel.layers, T = kModel.context, V = kModel.vocabulary, B = plan.sequences;
  const double flops = accounting::six_n_d(N, D);
  const auto held = [&](ZeroStage stage) {
    return gigabytes(accounting::training_memory(N, accounting::OptimizerState::adam, accounting::kMasterCopyTraining,
                                                 stage, plan.gpus)
                         .total());
  };
  const auto activations = [&](Recomputation what) {
    return gigabytes(accounting::activation_bytes(kModel, B, T, what));
  };
  const accounting::OptimalSize best = accounting::optimal_size(flops);
  return {
      {"Parameters", "$(V + T) d + L (12 d^2 + 13 d) + 2 d$", with_commas(static_cast<int64_t>(N))},
      {"Operations, by the rule", "$6 N D$", power_of_ten(flops)},
      {"Operations, by products", "$3 D (24 d^2 L + 2 d (T + 1) L + 2 V d)$",
       power_of_ten(accounting::training_flops_per_token(kModel, T) * D)},
      {"Attention, of a block's operations", "$(T + 1) / (12 d + T + 1)$",
       fmt::format("{:.1f} %", 100 * (T + 1) / (12 * d + T + 1))},
      {"Time", "$6 N D / (R \\cdot P \\cdot \\text{MFU})$",
       fmt::format("{:.2f} days", accounting::training_seconds(flops, plan.gpus, kH100.bits16, plan.mfu) / 86400)},
      {"Best size for these operations", "$N = \\sqrt{C / 120}$", fmt::format("{:.1f} billion", best.parameters / 1e9)},
      {"State", "$16 N$", held(ZeroStage::none)},
      {"State, ZeRO 1", "$4 N + 12 N / R$", held(ZeroStage::optimizer)},
      {"State, ZeRO 2", "$2 N + 14 N / R$", held(ZeroStage::gradients)},
      {"State, ZeRO 3", "$16 N / R$", held(ZeroStage::parameters)},
      {"Activations, attention in pieces", "$34 B T d L + 5 B H T^2 L$", activations(Recomputation::none)},
      {"Activations, attention fused", "$34 B T d L$", activations(Recomputation::attention)},
      {"Activations, layers recomputed", "$2 B T d L$ and one layer", activations(Recomputation::full)},
      {"Logits and their gradient", "$8 B T V$", gigabytes(8 * B * T * V)},
      {"A step's operations take", "$6 N n / (R \\cdot P \\cdot \\text{MFU})$",
       time_of(accounting::training_seconds(6 * N * plan.step_tokens(), plan.gpus, kH100.bits16, plan.mfu))},
      {"A step's update takes", "$28 N / \\beta$", time_of(28 * N / kH100.memory_bandwidth)},
      {"A GPU sends in a step", "$2 \\cdot 2 N (R - 1) / R$",
       gigabytes(accounting::all_reduce_bytes(2 * N, plan.gpus))},
      {"A token, when generated, takes", "$2 N / \\beta$, in int8 $N / \\beta$",
       fmt::format("{} and {}", time_of(2 * N / kH100.memory_bandwidth), time_of(N / kH100.memory_bandwidth))},
      {"Keys and values of a sequence", "$4 L T d$", gigabytes(accounting::kv_cache_bytes(kModel, T, 1))},
      {"A checkpoint", "$12 N$", gigabytes(12 * N)}};
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
    - An operation keeps what its derivative needs: nothing if it is linear, else its input or its result. Add up,
      and the sum is right to the byte.
    - Forward and backward are paid for each token, the update for each step.
    - Products are limited by operations, everything else by bytes. There, fewer operations are not less time.
    - Mixed precision halves activations and traffic, not the state. Its rounding drowns in the gradient's noise, as
      long as it is noise.
    - Recomputation buys memory with a third more operations; fused attention with a few, and gains time.
    - ZeRO's first stages cost nothing but code: the same bytes are sent.
    - Compare optimizers each at its own best rate.
    - Eight bits are enough for weights at rest; what counts is how many share a scale.)");
}
