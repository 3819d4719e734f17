// Lecture 4, the question.

#include "../shared/compute_optimal_calculator.h"
#include "parts.h"

namespace {

void two_budgets();

}  // namespace

void the_question() {
  text(R"(
    **You are given 32 H100s for two weeks. What can you train?** By the end of this lecture you can answer that for any
    machine and any model, say where the answer is soft, and check each part of it on a machine that you have.)");
  text(R"(
    Lectures 2 and 3 counted what one step took. Here the formulas are derived from the operations one by one, and then
    used to plan. Everything that is measured is measured on the CPU at a small size. Bytes and operations follow from
    shapes, so the formulas hold for a large model on a GPU as they stand; measured times do not carry over.)");
  two_budgets();
}

namespace {

void two_budgets() {
  text("## 32 GPUs for two weeks");
  text(R"(
    A step can fail to fit into memory, and a run can fail to end in time. So there are two budgets. **Compute** is a
    number of GPUs, times seconds, times the peak rate of one, times the share of it that training reaches, the *model
    FLOPs utilization* (MFU). We assume one half, and will see what depends on it.)");
  const double gpus = 32;
  const double seconds = 14 * 24 * 60 * 60;
  const double peak = kH100.bits16;  // dense bfloat16 @inspect peak
  assert(peak == 989.5e12);
  const double mfu = 0.5;
  const double C = gpus * seconds * peak * mfu;  // @inspect C
  assert(std::abs(C / 1.915e22 - 1) < 1e-3);
  text(R"(
    Training $N$ parameters on $D$ tokens takes about $6 N D$ operations; a section below derives the 6 and says when it
    is wrong. How to divide the budget between $N$ and $D$ is an empirical question. The measurements of Hoffmann and
    others say that both should grow in proportion, at about 20 tokens per parameter.)"),
      link(works::chinchilla);
  text(R"($$C = 6 N \cdot 20 N, \quad N = \sqrt{C / 120}$$)");
  const double N = std::sqrt(C / 120);  // @inspect N
  const double D = 20 * N;              // @inspect D
  assert(std::lround(N / 1e8) == 126);
  assert(std::lround(D / 1e9) == 253);
  text("**12.6 billion parameters on 253 billion tokens**, as far as compute goes.");
  text(R"(
    How sure is that? $N$ grows with the square root of each factor of $C$, so an MFU that is off by 20 % changes $N$
    by about 10 %. Conversely, an answer that rounds to 12.6 takes an MFU between 0.493 and 0.501. Published runs report
    less: PaLM 46 %, Llama 3 between 38 and 43 %. At 40 % it is 11.3 billion.)"),
      link(works::palm), link(works::llama3);
  const auto mfu_for = [&](double parameters) { return 120 * parameters * parameters / (gpus * seconds * peak); };
  const double lowest = mfu_for(12.55e9);   // @stepover @inspect lowest
  const double highest = mfu_for(12.65e9);  // @stepover @inspect highest
  assert(std::lround(lowest * 1000) == 493 && std::lround(highest * 1000) == 501);
  const double at_40_percent = N * std::sqrt(0.4 / mfu);  // @inspect at_40_percent
  assert(std::lround(at_40_percent / 1e8) == 113);
  text(R"(
    **Memory** is the other budget. With AdamW a parameter takes 16 bytes. Spread evenly, and with nothing left for
    activations, 32 GPUs hold this many parameters:)");
  const double fit = gpus * kH100.memory / 16;  // @inspect fit
  assert(fit == 160e9);
  text(R"(
    Nearly thirteen times as many. Compute is what limits this run; memory only has to be organised, which is not
    nothing: unsharded, the state of 12.6 billion parameters would fill two and a half of these GPUs.)");
  assert(16 * N > 2.5 * kH100.memory);
  note("Let the audience guess first: a GPT-2, a GPT-3, something in between?");
  text("The same for other machines and times, with four ways to divide the budget beside the rule of 20:");
  // @stepover
  calculator("What can be trained?", compute_optimal_inputs(), compute_optimal,
             {.presets = {{"32 H100s, two weeks", {{"gpus", "32"}, {"days", "14"}}},
                          {"One node, a week", {{"gpus", "8"}, {"days", "7"}}},
                          {"MFU 40%", {{"mfu", "40%"}}}}});
  exercise("You get twice as many GPUs, but an MFU of only 40 %. How large is the model now?", R"(
    $C$ is $2 \cdot 0.4 / 0.5 = 1.6$ times as large, and $N$ the root of that, 1.26 times: 16 billion parameters on 320
    billion tokens.)");
  const double with_64 = N * std::sqrt(2 * 0.4 / mfu);  // @inspect with_64
  assert(std::lround(with_64 / 1e9) == 16 && std::lround(20 * with_64 / 1e10) == 32);
}

}  // namespace
