// Lecture 4, attention that stores its weights, and attention that does not.

#include "plan.h"

namespace {

// softmax(q kᵀ / √e) v, in three operations.
Tensor attention_in_pieces(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor scores = q.matmul(k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
  return softmax(scores, -1).matmul(v);
}

struct AttentionCosts {
  int64_t kept;  // beside the operands and the result
  Counters forward, backward;
};

template <typename Attention>
AttentionCosts attention_costs(int64_t T, const Attention& attend) {
  const auto operand = [&] { return randn({2, 2, T, 32}).requires_grad_(); };
  const Tensor q = operand(), k = operand(), v = operand();
  const int64_t before = memory_allocated();
  const CountScope forward;
  const Tensor result = attend(q, k, v);
  const int64_t kept = memory_allocated() - before - result.nbytes();
  const Counters of_forward = forward.counted();
  const Tensor incoming = ones_like(result);
  const CountScope backward;
  result.backward(incoming);
  return {kept, of_forward, backward.counted()};
}

}  // namespace

void fused_attention() {
  text("## Fused attention");
  text(R"(
    Computed as its formula is written, attention makes a $T \times T$ matrix for each head, and the softmax keeps one:
    $B H T^2$ elements. It is the only part of a Transformer whose memory grows with the square of the context. A fused
    kernel holds a small block of the matrix at a time, keeps queries, keys and values, which are there anyway, and
    computes the weights once more in the backward pass.)"),
      link(works::flash_attention), link(attention_in_pieces);
  std::vector<TableRow> rows;
  for (const int64_t T : {64, 128, 256, 512}) {  // @stepover
    const AttentionCosts pieces = attention_costs(T, attention_in_pieces);
    const AttentionCosts whole = attention_costs(
        T, [](const Tensor& q, const Tensor& k, const Tensor& v) { return scaled_dot_product_attention(q, k, v); });
    const int64_t B = 2, H = 2, e = 32;
    assert(pieces.kept == 4 * B * H * T * T);
    assert(whole.kept == 0);
    const auto ratio = [](int64_t a, int64_t b) {
      return fmt::format("{:.2f}", static_cast<double>(a) / static_cast<double>(b));
    };
    rows.push_back({T, pieces.kept, whole.kept, ratio(whole.forward.flops, pieces.forward.flops),
                    ratio(whole.backward.flops, pieces.backward.flops),
                    ratio(pieces.forward.bytes, whole.forward.bytes)});
    assert(whole.forward.flops == B * H * (T * T * (4 * e + 5) + T * e));
    assert(whole.forward.bytes == 4 * 4 * B * H * T * e);
  }
  table({"T", "Kept in pieces, bytes", "Fused", "FLOPs forward, fused / pieces", "Backward",
         "Bytes forward, pieces / fused"},
        rows);
  text(R"(
    Counted on the CPU; on a GPU the fused one keeps a number for each row. The fused backward pass does about a
    quarter more operations, since it computes $q k^\top$ again: five products where the pieces have four. But it moves
    a fraction of the bytes. The count is of operands that are read once, whereas a kernel reads keys and values again
    for each block of queries. Measured by its authors on an A100, forward and backward, FlashAttention did 75.2 billion
    operations instead of 66.6, moved 4.4 GB instead of 40.3, and took 7.3 ms instead of 41.7. As with the norms, time
    follows the bytes.)");
  text("For the model that is worked out below, in bytes for one sequence of 2,048 tokens, in 16 bits:");
  using accounting::Recomputation;
  const double T = kModel.context;
  const double in_pieces = accounting::activation_bytes(kModel, 1, T, Recomputation::none);   // @inspect in_pieces
  const double fused = accounting::activation_bytes(kModel, 1, T, Recomputation::attention);  // @inspect fused
  assert(in_pieces == 24 * (34. * 2048 * 2048 + 5. * 32 * 2048 * 2048));
  assert(std::abs(in_pieces / fused - (34 + 160) / 34.) < 1e-9);
  exercise("From which length on does attention in pieces keep more than all the rest of a block?", R"(
    $5 B H T^2 > 34 B T d$ where $T > 6.8\, d / H$: 6.8 times the width of a head. For heads of width 64 that is from
    436 tokens on.)");
  assert(5 * 435 < 34 * 64 && 34 * 64 < 5 * 436);
}
