// Lecture 7, which division when, and what to take away.

#include "model.h"

namespace {

void side_by_side(), which_one(), combined(), to_take_away();

}  // namespace

void which_when() {
  text("## Which one, when");
  side_by_side();
  which_one();
  combined();
  to_take_away();
}

namespace {

void side_by_side() {
  text("### Side by side");
  text(R"(
    What rank 0 held and sent, of the model of 132,352 parameters, with batches of 256 rows; all of it measured
    above. Sizes of messages are those of this model: a large one has more parameters for each row.)");
  std::vector<TableRow> rows;
  for (const Outcome& each : outcomes()) {  // @stepover
    rows.push_back({each.way, fmt::format("{:.4f}", each.loss), each.state_bytes, each.sent_bytes});
  }
  table({"Way", "Loss after 8 steps", "State, bytes", "Sent in a step, bytes"}, rows);
  const double lowest = std::min_element(outcomes().begin(), outcomes().end(), [](const Outcome& a, const Outcome& b) {
                          return a.loss < b.loss;
                        })->loss;                                            // @stepover
  for (const Outcome& each : outcomes()) assert(each.loss - lowest < 1e-3);  // @stepover
}

void which_one() {
  text("### What each needs");
  text(R"(
    With $N$ parameters, $n$ ranks, $T$ tokens on a rank, $L$ layers of width $d$, $m$ microbatches; bytes that a
    rank sends in a step, in bfloat16.)");
  table({"Division", "State on a rank", "Sends, about", "Needs", "Use it"},
        {{"batch", "$16 N$", "$4 N$", "a large batch: between nodes some 8,000 tokens on each GPU",
          "first, while the model fits"},
         {"batch, ZeRO 1 or 2", "$4 N + 12 N / n$, $2 N + 14 N / n$", "$4 N$", "the same",
          "always, instead of the first"},
         {"batch, ZeRO 3", "$16 N / n$", "$6 N$", "the same", "when the state does not fit"},
         {"matrices", "$16 N / n$", "$16 L T d$", "the fastest links",
          "within a node, when a layer or its activations do not fit"},
         {"layers", "$16 N / n$", "$4 T d$", "$m \\gg n$ microbatches, equal stages",
          "between nodes, when the batch cannot be divided further"}});
  const accounting::Transformer model{.width = 8192, .layers = 80};
  const double T = 4096, n = 1e9;  // so many that (n - 1) / n is 1
  assert(std::abs(accounting::tensor_parallel_bytes(model, 1, T, n) / (16 * 80 * T * 8192) - 1) < 1e-6);
  assert(accounting::pipeline_bytes(model, 1, T) == 4 * T * 8192);
  const double N = 70e9;
  assert(std::abs(accounting::data_parallel_bytes(N, n, accounting::ZeroStage::none, accounting::kMasterCopyTraining) /
                      (4 * N) -
                  1) < 1e-6);
  assert(std::abs(
             accounting::data_parallel_bytes(N, n, accounting::ZeroStage::parameters, accounting::kMasterCopyTraining) /
                 (6 * N) -
             1) < 1e-6);
}

void combined() {
  text("### All of them");
  text(R"(
    They combine, since each divides something else. The question of the beginning, on 1,024 H100s: 8 ranks of a node
    divide the matrices, 4 groups of nodes the layers, and 32 such machines the batch, with ZeRO 1.)"),
      cite("narayanan2021");
  const double N = 70e9, D = 1.4e12;
  const double tensor_ranks = 8, stages = 4, copies = 1024 / (tensor_ranks * stages);  // @inspect copies
  const double own = N / (tensor_ranks * stages);                                      // @inspect own
  const double state =
      accounting::training_memory(own, accounting::OptimizerState::adam, accounting::kMasterCopyTraining,
                                  accounting::ZeroStage::optimizer, copies)
          .total();                                               // @inspect state
  const double bubble = accounting::pipeline_bubble(stages, 32);  // @inspect bubble
  const double days =
      accounting::training_seconds(accounting::six_n_d(N, D), 1024, kH100.bits16, 0.4) / 86400;  // @inspect days
  assert(copies == 32);
  assert(std::lround(state / 1e8) == 96);
  assert(std::lround(100 * bubble) == 9);
  assert(std::lround(days) == 17);
  text(R"(
    9.6 GB of state on each GPU, which leaves 70 for activations, and a bubble of 9 % with 32 microbatches. At an MFU
    of 40 %, bubble and all, the 47 years have become 17 days.)");
  exercise("You have one node of 8 GPUs, and a model of 8 billion parameters. What do you divide?", R"(
    The state is 128 GB; with ZeRO 1 it is $32 + 12 = 44$ GB on each GPU, which leaves 36 for activations. The batch,
    then, and ZeRO 1 or 2. No matrices, no layers: what need not be divided should not be.)");
  assert(accounting::training_memory(8e9, accounting::OptimizerState::adam, accounting::kMasterCopyTraining,
                                     accounting::ZeroStage::optimizer, 8)
             .total() == 44e9);
  exercise("The same model, on 8 GPUs of 24 GB without NVLink?", R"(
    Stage 3 leaves 16 GB of state on each, and 8 for activations, with short microbatches or recomputation. Its
    traffic of $6 N = 48$ GB a step takes long over PCIe, at 20 GB/s some 2 seconds: accumulate gradients over
    several batches, so that a step has enough to compute.)");
  assert(accounting::training_memory(8e9, accounting::OptimizerState::adam, accounting::kMasterCopyTraining,
                                     accounting::ZeroStage::parameters, 8)
             .total() == 16e9);
}

void to_take_away() {
  text("## What to take away");
  text(R"(
    - Nine collectives are the vocabulary. An all-reduce is a reduce-scatter and an all-gather, and moves twice what it
      sums, whatever the number of ranks.
    - Rings are for bytes, trees for latencies.
    - Divide the batch first. Stage 1 of ZeRO divides the state's largest part, and stage 2 is free; stage 3 pays half
      as much traffic again for everything.
    - Dividing matrices sends activations in every layer, and belongs within a node. Dividing layers sends little, and
      pays with a bubble of $(p-1)/(m+p-1)$.
    - A division changes where things are, not what is computed. So compare it with one process, to the bit where the
      order of sums is the same, within rounding where it is not.
    - What is hidden behind computation is free, and how much that is depends on tokens per GPU, not on the model.
    - Every rank must call the same collectives in the same order. If all wait, look for the one that is missing; if
      nobody complains, compare checksums.)");
}

}  // namespace
