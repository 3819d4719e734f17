// Lecture 4, attention that stores its weights, and attention that does not.

#include "parts.h"

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
    Written as its formula, attention makes a $T \times T$ matrix for each head, and the softmax keeps one: $B H T^2$
    numbers. It is the only part of a Transformer whose memory grows with the square of the context. A fused kernel
    holds a few rows of it at a time, keeps queries, keys and values, which are there anyway, and computes the
    weights once more in the backward pass.)"),
      link(works::flash_attention), link(attention_in_pieces);
  std::vector<double> lengths, stored, fused;
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
         "Bytes moved, pieces / fused"},
        rows);
  text(R"(
    Counted on the CPU; on a GPU the fused one keeps a number for each row. The fused backward pass does about a
    quarter more operations, since it computes $q k^\top$ again: five products where the pieces have four. It moves a
    fraction of the bytes, and that is what time follows. More operations in less time: the opposite of the two
    norms.)");
  text("For the model that is worked out below, in bytes for one sequence of 2,048 tokens, in 16 bits:");
  const accounting::Transformer model{.context = 2048, .width = 2048, .layers = 24, .heads = 32};
  const double in_pieces =
      accounting::activation_bytes(model, 1, 2048, accounting::Recomputation::none);  // @inspect in_pieces
  const double when_fused =
      accounting::activation_bytes(model, 1, 2048, accounting::Recomputation::attention);  // @inspect when_fused
  assert(in_pieces == 24 * (34. * 2048 * 2048 + 5. * 32 * 2048 * 2048));
  assert(std::abs(in_pieces / when_fused - (34 + 160) / 34.) < 1e-9);
  exercise("From which length on does attention in pieces keep more than all the rest of a block?", R"(
    $5 B H T^2 > 34 B T d$ where $T > 6.8\, d / H$: 6.8 times the width of a head. For heads of 64 that is 435 tokens.)");
  assert(std::floor(34 / 5. * 64) == 435);
}
