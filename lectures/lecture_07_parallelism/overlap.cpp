// Lecture 7, what is sent while something is computed.

#include "timed_backward.h"

namespace {

void on_a_timeline(), how_much_hides_it();

}  // namespace

void communication_beside_computation() {
  text("## Communication beside computation");
  text(R"(
    Bytes cost nothing while the GPU computes anyway. The last block's gradients are complete when the backward pass
    has just begun, and can travel while those of the other blocks are computed; in stage 3, the next block's
    parameters can come while this one runs.)");
  on_a_timeline();
  how_much_hides_it();
}

namespace {

void on_a_timeline() {
  text("### On a timeline");
  text(R"(
    Here is a backward pass of our model with 4,096 rows on each rank, twice. A hook notes when a block's four
    gradients are there, and begins its all-reduce, at once or after the last. Whether one is done is looked up
    whenever a gradient comes.)");
  TimedBackward overlapped(true), at_the_end(false);
  overlapped.run();                                                   // @stepover
  at_the_end.run();                                                   // @stepover
  const std::vector<std::size_t> under_way = overlapped.under_way();  // @inspect under_way
  assert((under_way == std::vector<std::size_t>{3, 2, 1}));
  assert(at_the_end.under_way().empty());
  assert(overlapped.averaged(0).equal(at_the_end.averaged(0)));
  std::vector<TimedSpan> spans = overlapped.spans(", at once");
  const std::vector<TimedSpan> others = at_the_end.spans(", at the end");
  spans.insert(spans.end(), others.begin(), others.end());
  image(
      spans_over_time(spans),
      {.alt = "Four rows of bars over a few milliseconds. In the first pair, all-reduces of blocks 3, 2 and 1 begin "
              "while the backward pass of "
              "earlier blocks still runs. In the second pair, all begin after the backward pass has ended.",
       .caption = "Rank 0 of this run. Colours and numbers are blocks, of which the last comes first."});  // @volatile
  text(R"(
    When block 0's gradients were complete, three all-reduces had begun: that holds in each run, and is asserted. How
    long the bars are differs from run to run, and should not be taken for more than it is: four processes share the
    cores of one machine, and whoever sends takes time from whoever computes. On a GPU, copies and computation have
    hardware of their own.)");
}

void how_much_hides_it() {
  text("### How much computation hides it?");
  text(R"(
    A layer of $P$ parameters takes $4 P$ operations per token in the backward pass, twice the forward pass, and its
    bfloat16 gradients move $2 \cdot 2 P \frac{n-1}{n}$ bytes. For $T$ tokens on each GPU, communication is hidden if)");
  text(R"($$\frac{4 P T}{\text{MFU} \cdot \text{peak}} \ge \frac{4 P}{\beta} \, \frac{n-1}{n}, \qquad
    T \ge \frac{\text{MFU} \cdot \text{peak}}{\beta} \, \frac{n-1}{n}.$$)");
  text("The size of the model has dropped out. For H100s at an MFU of 40 %, and many of them:");
  const double between = 0.4 * kH100.bits16 / kBetweenNodes;  // @inspect between
  const double within = 0.4 * kH100.bits16 / kWithinNode;     // @inspect within
  assert(std::lround(between) == 7916 && std::lround(within) == 880);
  text(R"(
    Some 8,000 tokens on each GPU hide the all-reduce between nodes, 900 within one. With 1,024 GPUs that is a batch
    of eight million tokens, more than one wants early in training. So data parallelism has an end, too: a batch that
    is divided further leaves too little to compute between two messages.)");
  assert(std::lround(1024 * between / 1e6) == 8);
  exercise("What is the bound for stage 3, which also gathers parameters in the backward pass?", R"(
    During the backward pass of a layer, its gradients are reduce-scattered and the next layer's parameters are
    gathered: $2 P$ bytes each, together as many as those of an all-reduce. The bound is the same. During the forward
    pass $2 P$ bytes stand against $2 P T$ operations: the same again.)");
}

}  // namespace
