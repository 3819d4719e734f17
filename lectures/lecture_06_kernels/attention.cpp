// Lecture 6, attention without its matrix of scores.

#include <numeric>

#include "online.h"
#include "parts.h"

namespace {

// Query, key and value of one head, T × d each, row after row.
struct Head {
  int64_t T, d;
  std::vector<float> q, k, v;
};

float dot(const float* a, const float* b, int64_t d) {  // @stepover
  float sum = 0;
  for (int64_t i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

// What a query has seen so far: its maximum and sum, and the values in proportion.
struct Seen {
  Online row;
  std::vector<float> values;
};

// One key more, and its value.  @stepover
void look(Seen& seen, float score, const float* value) {
  const Online before = seen.row;
  seen.row = with(before, score);
  const float factor = std::exp(before.max - seen.row.max), weight = std::exp(score - seen.row.max);
  for (std::size_t i = 0; i < seen.values.size(); ++i) seen.values[i] = seen.values[i] * factor + weight * value[i];
}

// What was moved between memory and the tiles, in bytes; and the tiles of scores that were computed.
struct Moved {
  int64_t bytes = 0, tiles = 0;
};

// softmax(q kᵀ / √d) v, a tile of side × side scores at a time, none of which is ever stored.
Moved attend(const Head& head, int64_t side, bool is_causal, std::vector<float>& out) {
  const int64_t T = head.T, d = head.d;
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  Moved moved;
  for (int64_t top = 0; top < T; top += side) {
    std::vector<Seen> queries(side, Seen{{}, std::vector<float>(d)});
    moved.bytes += 4 * side * d;  // a block of queries
    const int64_t end = is_causal ? top + side : T;
    for (int64_t left = 0; left < end; left += side) {
      moved.bytes += 2 * 4 * side * d;  // a block of keys, and of values
      ++moved.tiles;
      for (int64_t i = 0; i < side; ++i) {
        const float* query = head.q.data() + (top + i) * d;
        const int64_t last = is_causal ? std::min(left + side, top + i + 1) : left + side;
        for (int64_t j = left; j < last; ++j) {
          look(queries[i], scale * dot(query, head.k.data() + j * d, d), head.v.data() + j * d);
        }
        const Seen seen = queries[i];  // @inspect top left i seen
      }
    }
    for (int64_t i = 0; i < side; ++i) {  // @stepover
      for (int64_t e = 0; e < d; ++e) out[(top + i) * d + e] = queries[i].values[e] / queries[i].row.sum;
    }
    moved.bytes += 4 * side * d;  // the result
  }
  return moved;
}

// @stepover
std::vector<float> numbers_of(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.numel()};
}

struct Inputs {
  Tensor q, k, v;
};

// @stepover
Inputs random_inputs(int64_t T, int64_t d) {
  Generator generator = Generator().manual_seed(0);
  const Tensor q = randn({T, d}, {}, &generator), k = randn({T, d}, {}, &generator), v = randn({T, d}, {}, &generator);
  return {q, k, v};
}

// @stepover
Head head_of(const Inputs& inputs) {
  return {inputs.q.size(0), inputs.q.size(1), numbers_of(inputs.q), numbers_of(inputs.k), numbers_of(inputs.v)};
}

void by_matrices() {
  text(R"($$O = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt d}\right) V$$)");
  text(R"(
    One head, T queries and keys of d numbers. Each product takes $2 T^2 d$ operations, $4 T^2 d$ together. With three
    operations on tensors, the matrix of scores is written, read, written as weights, and read again. In float32:)");
  const int64_t T = 256, d = 32;
  const Inputs inputs = random_inputs(T, d);
  const Tensor scaled = inputs.q / std::sqrt(static_cast<double>(d));
  const CountScope scope;
  const Tensor scores = scaled.matmul(inputs.k.t());
  const Tensor weights = softmax(scores, 1);
  const Tensor out = weights.matmul(inputs.v);
  const Counters counted = scope.counted();  // @inspect counted
  assert(counted.bytes == 4 * (4 * T * d + 4 * T * T));
  assert(counted.flops > 4 * T * T * d);
  text(R"(
    Where T is large beside d, nearly all bytes are scores, which nobody asked for. And they must be held. For 16 heads
    and 16,384 tokens in bfloat16, scores alone would take)");
  const double held = 16. * 16384 * 16384 * 2;  // @inspect held
  assert(held == 8589934592.);
  text("8.6 GB, for each sequence and each layer.");
}

void by_blocks() {
  text("### A tile at a time");
  text(R"(
    Softmax stands between the two products and seems to need a whole row of scores. Online softmax does not. A query
    keeps a maximum, a sum and a vector: the values that it has seen, added up in proportion. If a later score is larger,
    sum *and vector* are multiplied by $e^{m - m'}$, and all is as if the larger one had been known from the beginning.
    This is FlashAttention.)"),
      link(works::flash_attention), link(works::flash_attention_2), link(look);
  text("Four queries and keys of two numbers, in tiles of 2 × 2. After the second tile of its row a query has seen "
       "all:");
  const Inputs few = random_inputs(4, 2);
  std::vector<float> small(4 * 2);
  const Moved steps = attend(head_of(few), 2, false, small);
  assert(steps.tiles == 4);
  const Tensor expected_small = scaled_dot_product_attention(few.q, few.k, few.v);
  assert(tensor(small).view({4, 2}).allclose(expected_small, 1e-4, 1e-5));
  text("At the size from before, with tiles of 64 × 64:");
  const int64_t T = 256, d = 32, side = 64;
  const Inputs inputs = random_inputs(T, d);
  const Tensor expected = scaled_dot_product_attention(inputs.q, inputs.k, inputs.v);
  std::vector<float> result(T * d);
  const Moved moved = attend(head_of(inputs), side, false, result);  // @stepover @inspect moved
  assert(tensor(result).view({T, d}).allclose(expected, 1e-4, 1e-5));
  text(R"(
    Queries are read once and results written once; all keys and values are read once for each block of queries:
    $2 T d + 2 T d \cdot T / S$ numbers for tiles of side $S$.)");
  assert(moved.bytes == 4 * (2 * T * d + 2 * T * d * (T / side)));
  const int64_t by_matrices = 4 * (4 * T * d + 4 * T * T);  // @inspect by_matrices
  const double times_fewer =
      static_cast<double>(by_matrices) / static_cast<double>(moved.bytes);  // @inspect times_fewer
  assert(times_fewer > 3.5);
  text(R"(
    Bytes for large T are $2 T^2 d / S$ numbers instead of $4 T^2$: fewer whenever $S > d / 2$. In FLOPs per byte this is
    $4 T^2 d / (2 T^2 d / S \cdot e) = 2 S / e$, for tiles of 128 in bfloat16)");
  const double intensity = 2 * 128 / 2.;  // @inspect intensity
  assert(intensity == 128);
  text(R"(
    128. As with the product, it is the side of the tile that counts, and the second-level cache does the rest. Now
    arithmetic is the limit, and the FLOPs are as they were: *the same operations, and a few more, in less time*.)");
  text(R"(
    What must be held besides the result is one number for each query, $m + \ln s$: 16 heads of 16,384 take a megabyte
    instead of 8.6 GB. Backward computes the weights once more, from queries, keys and it.)");
  assert(16 * 16384 * 4 == 1 << 20);
}

void causal() {
  text("### Half of the tiles");
  text(R"(
    When a query sees only keys up to its own place, tiles above the diagonal are left out, and those on it are masked. Of
    $t^2$ tiles, $t (t + 1) / 2$ remain:)");
  const int64_t T = 256, d = 32, side = 32, t = T / side;
  const Inputs inputs = random_inputs(T, d);
  std::vector<float> result(T * d);
  const Moved moved = attend(head_of(inputs), side, true, result);  // @stepover @inspect moved
  assert(moved.tiles == t * (t + 1) / 2);
  const Tensor expected = scaled_dot_product_attention(inputs.q, inputs.k, inputs.v, {.is_causal = true});
  assert(tensor(result).view({T, d}).allclose(expected, 1e-4, 1e-5));
  text(R"(
    On an H200, causal, 16 heads of 128 numbers and 16,384 tokens: our own kernel of this design, with `mma` and tiles in
    shared memory, reaches 312 TFLOP/s, and that of NVIDIA's library cuDNN 612. Both are below the 989 of the data
    sheet. Ours multiplies with `mma`, cuDNN with `wgmma`. And between the products stands an exponential for each score;
    those units are few.)");
  exercise(R"(
    A multiprocessor of an H100 does 16 exponentials in a cycle and 4,096 operations of dense 16-bit products. How many
    cycles does a tile of 128 × 128 scores spend with each, for heads of 128 numbers, and for heads of 64?)",
           R"(
    Products: $4 \cdot 128 \cdot 128 \cdot 128 / 4096 = 2{,}048$ cycles. Exponentials: $128 \cdot 128 / 16 = 1{,}024$, half
    as many. For heads of 64 the products take 1,024, as long as the exponentials. So one must do both at the same time:
    while one group of warps multiplies, another takes exponentials.)");
  assert(4 * 128 * 128 * 128 / 4096 == 2048 && 128 * 128 / 16 == 1024);
  exercise("Why can the tiles of one query be computed by different blocks, and what has to be done at the end?",
           R"(
    Because pairs of maximum and sum can be joined in any order, and vectors with them. Each block writes its vector,
    maximum and sum; another kernel joins them. With one query and a long cache of keys, as when a model writes text, this
    is the only way to occupy more than one multiprocessor for each head.)");
}

// Steps of the blocks of 128 queries, 64 keys each, in the order in which they are given out.  @stepover
std::vector<int64_t> blocks_in_order(int64_t heads, int64_t T, bool heads_take_turns) {
  const int64_t of_head = T / 128;
  std::vector<int64_t> blocks;
  for (int64_t i = 0; i < heads * of_head; ++i) {
    const int64_t shorter = heads_take_turns ? i / heads : i % of_head;  // than the head's last
    blocks.push_back((of_head - shorter) * 128 / 64);
  }
  return blocks;
}

// Until all are done, each given to the place that is free first.  @stepover
int64_t steps_until_done(const std::vector<int64_t>& blocks, int64_t places) {
  std::vector<int64_t> free_at(places, 0);
  for (const int64_t steps : blocks) *std::min_element(free_at.begin(), free_at.end()) += steps;
  return *std::max_element(free_at.begin(), free_at.end());
}

void longest_first() {
  text("### The longest first");
  text(R"(
    Half of the tiles is not yet half of the time. The block that has a head's last 128 queries goes over all keys, the one
    that has its first over few. And a GPU gives blocks out in their order, each to the first multiprocessor that has
    room. 16 heads of 4,096 tokens, 64 keys at a step, two blocks at a time on each of 132 multiprocessors:)"),
      link(blocks_in_order), link(steps_until_done);
  const int64_t places = 2 * 132;
  const std::vector<int64_t> head_by_head = blocks_in_order(16, 4096, false);
  const std::vector<int64_t> longest_first = blocks_in_order(16, 4096, true);
  const int64_t work = std::accumulate(head_by_head.begin(), head_by_head.end(), int64_t{0});  // @inspect work
  const int64_t by_heads = steps_until_done(head_by_head, places);
  const int64_t by_length = steps_until_done(longest_first, places);
  table({"16 heads of 4,096 tokens, causal", "Steps"},
        {{"if all places were busy to the end", std::to_string(work / places)},
         {"head by head, its longest block first", std::to_string(by_heads)},
         {"the longest blocks of all heads first", std::to_string(by_length)}});
  assert(work / places == 64 && by_heads == 104 && by_length == 64);
  text(R"(
    Not an instruction differs, and it takes 104 steps or 64. Where a long block comes late, all other places wait for it
    in the end. So the longest go first, of all heads: what comes last is short and fills the gaps. For jobs on machines
    this has been known since 1969 (Graham: at most a third longer than the best order). It has a price: the keys and
    values of all heads that take turns must fit the second-level cache, or memory is asked for them again and again.)");
  exercise("How many steps does each line have for 16,384 tokens? Why does the order matter less there?",
           R"(
    1,000, 1,120 and 1,006. A head has 128 blocks, not 32, so that a place gets about eight of them, not two: what is
    waited for in the end is a smaller part of the whole.)");
  assert(steps_until_done(blocks_in_order(16, 16384, false), places) == 1120);
  assert(steps_until_done(blocks_in_order(16, 16384, true), places) == 1006);
}

}  // namespace

void attention_by_tiles() {
  text("## Attention");
  by_matrices();
  by_blocks();
  causal();
  longest_first();
}
