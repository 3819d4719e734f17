// Lecture 7, the matrices divided among the ranks.

#include "model.h"

namespace {

void columns_then_rows(), why_in_this_order(), a_block_of_four(), what_it_needs();

}  // namespace

void divided_matrices() {
  text("## The matrices divided");
  text(R"(
    In stage 3 a block is whole while it runs. If even one layer does not fit, or one batch is all there is, the
    products themselves have to be divided: **tensor parallelism**.)"),
      cite("shoeybi2019");
  columns_then_rows();
  why_in_this_order();
  a_block_of_four();
  what_it_needs();
}

namespace {

void columns_then_rows() {
  text("### Columns, then rows");
  text(R"(
    A block computes $y = \text{gelu}(x A)\, B$. Divide $A$ by columns and $B$ by rows, so that rank $r$ has $A_r$
    and $B_r$. Then)");
  text(R"($$y = \sum_r \text{gelu}(x A_r)\, B_r.$$)");
  text(R"(
    Rank $r$ computes its term alone, from the whole $x$ to a whole $y$, and one all-reduce adds the terms. By hand:)");
  const int rank = distributed::get_rank(), ranks = distributed::get_world_size();
  Generator generator(cpu, 7);  // the same on all ranks
  const Tensor x = randn({2, 4}, {}, &generator), A = randn({4, 8}, {}, &generator), B = randn({8, 4}, {}, &generator);
  const int64_t part = 8 / ranks;
  const Tensor own_A = A.narrow(1, rank * part, part);  // @inspect own_A
  const Tensor own_B = B.narrow(0, rank * part, part);
  Tensor y = gelu(x.matmul(own_A)).matmul(own_B);  // @clear own_A @inspect y
  distributed::all_reduce(y);                      // @inspect y
  assert(y.allclose(gelu(x.matmul(A)).matmul(B), 1e-4, 1e-5));
}

void why_in_this_order() {
  text("### Why in this order?");
  text(R"(
    Divided the other way, $A$ by rows and $B$ by columns, $x A$ would be a sum over ranks. It has to be complete
    before the nonlinear function, since gelu of a sum is no sum of gelus; and then $y$ is in pieces. Two
    communications instead of one:)");
  const double of_sum = gelu(tensor(2.0)).item<double>();                         // @inspect of_sum
  const double sum_of = (gelu(tensor(3.0)) + gelu(tensor(-1.0))).item<double>();  // @inspect sum_of
  assert(std::abs(of_sum - sum_of) > 0.8);
  text(R"(
    In the backward pass it is the mirror image. The gradient with respect to $y$ is whole on every rank; that of $x$
    is a sum over the ranks' columns: one all-reduce again. In attention the heads are divided: queries, keys and
    values by columns, the output by rows. So a Transformer's layer has four all-reduces in a step, two forward and
    two backward.)");
}

struct ParallelBlock : nn::Module {
  distributed::ColumnParallelLinear up;
  distributed::RowParallelLinear down;

  ParallelBlock() : up(kWidth, kHidden, {.gather_output = false}), down(kHidden, kWidth, {.input_is_parallel = true}) {
    LECTERN_REGISTER(up, down);
  }
  Tensor operator()(const Tensor& x) const { return x + down(gelu(up(x))); }  // @stepover
};

struct ParallelModel : nn::Module {
  nn::ModuleList<ParallelBlock> blocks;

  ParallelModel() : blocks(kLayers) { LECTERN_REGISTER(blocks); }
  // @stepover
  Tensor operator()(const Tensor& x) const {
    Tensor y = x;
    for (const ParallelBlock& block : blocks) y = block(y);
    return y;
  }
};

void a_block_of_four() {
  text("### Four blocks on four ranks");
  text(R"(
    With layers that divide themselves, a parallel block reads like the block it replaces. From the same seed it has
    its numbers, a fourth of them:)"),
      link<ParallelBlock>();
  const int ranks = distributed::get_world_size();
  const MemoryByCategory before = memory_by_category();
  manual_seed(0);
  ParallelModel model;
  const auto shape = model.blocks[0].up.weight.sizes();  // @inspect shape
  assert((shape == Sizes{kHidden / ranks, kWidth}));
  const int64_t held =
      memory_by_category()[MemoryCategory::parameter] - before[MemoryCategory::parameter];  // @inspect held
  const double formula = 4. * kLayers *
                         (accounting::column_parallel_parameters(kWidth, kHidden, ranks) +
                          accounting::row_parallel_parameters(kHidden, kWidth, ranks));
  assert(static_cast<double>(held) == formula);
  text("What a step sends, with all rows of the batch on every rank:");
  optim::AdamW optimizer(model.parameters(), {.lr = kRate});
  const CommunicationCounters start = communication_counters();
  const Tensor loss = loss_of(model, batch_of(0));
  const CommunicationCounters forward = communication_counters() - start;  // @inspect forward
  loss.backward();
  const CommunicationCounters backward = communication_counters() - start - forward;  // @inspect backward
  const double once = accounting::all_reduce_bytes(4. * kRows * kWidth, ranks);
  assert(forward.calls == kLayers && static_cast<double>(forward.sent) == kLayers * once);
  assert(backward.calls == kLayers - 1 && static_cast<double>(backward.sent) == (kLayers - 1) * once);
  text(R"(
    Four all-reduces forward, and three backward: the first block's input is data, whose gradient nobody needs.)");
  optimizer.step();
  const int64_t state = state_since(before);  // @inspect state
  optimizer.zero_grad();
  for (int64_t step = 1; step < kSteps; ++step) {  // @stepover
    loss_of(model, batch_of(step)).backward();
    optimizer.step();
    optimizer.zero_grad();
  }
  const NoGradGuard no_grad;
  const double reached = loss_of(model, batch_of(1000)).item<double>();  // @stepover @inspect reached
  assert(std::abs(reached - outcomes().front().loss) < 1e-3);
  outcomes().push_back({"tensor parallel", reached, state, forward.sent + backward.sent});
  text(R"(
    The loss is one process's, within rounding: sums over the hidden units are taken in another order here. A rank
    holds little more than a fourth. The bias of `down`, which is added after the sum, is whole on each.)");
}

void what_it_needs() {
  text("### What it needs");
  text(R"(
    Gradients are sent once in a step, activations in every layer, and nothing can be computed meanwhile: the next
    product waits for the sum. For the model of 70 billion parameters, 80 layers of width 8,192, and a sequence of
    4,096 tokens in bfloat16, on 8 GPUs of one node:)");
  const accounting::Transformer model{.width = 8192, .layers = 80};
  const double bytes = accounting::tensor_parallel_bytes(model, 1, 4096, 8);  // @inspect bytes
  const double within = bytes / kWithinNode;                                  // @inspect within
  const double between = bytes / kBetweenNodes;                               // @inspect between
  const double compute =
      accounting::training_seconds(accounting::six_n_d(70e9, 4096), 8, kH100.bits16, 0.5);  // @inspect compute
  assert(std::lround(bytes / 1e9) == 38);
  assert(std::lround(1e3 * within) == 84 && std::lround(1e3 * between) == 752 && std::lround(1e3 * compute) == 435);
  text(R"(
    38 GB that each GPU sends, for 0.43 s of computation at an MFU of 50 %: 0.08 s over NVLink, 0.75 s between nodes.
    That is why the tensor-parallel ranks are those of one node, and seldom more than eight.)");
  exercise("The norms of a Transformer's layer, and the additions, are computed by every rank alike. What could be "
           "divided there?",
           R"(
    The tokens. *Sequence parallelism* gives each rank a part of the sequence outside of the products: the all-reduce
    becomes a reduce-scatter there and an all-gather before the next product, as many bytes, and the activations
    between are divided, too.)");
}

}  // namespace
