// Lecture 4, from operations and bytes to time.

#include "parts.h"

namespace {

void two_limits(), fewer_operations();

}  // namespace

void time_of_a_step() {
  text("## The time of a step");
  two_limits();
  fewer_operations();
}

namespace {

void two_limits() {
  text("### Two limits");
  text(R"(
    A device computes at most $P$ operations a second, and moves at most $\beta$ bytes. Work of $F$ operations on $b$
    bytes takes no less than $\max(F / P,\; b / \beta)$. Which of the two it is depends on whether the *arithmetic
    intensity* $F / b$ lies above or below the *ridge point* $P / \beta$, for an H100 in bfloat16 295 operations per
    byte.)"),
      link(works::roofline);
  const accounting::Roofline h100{kH100.bits16, kH100.memory_bandwidth};
  const double ridge = h100.ridge();  // @inspect ridge
  assert(std::lround(ridge) == 295);
  text(R"(
    The parts of a block of width 2,048 with 16,384 tokens, in 16 bits: products by their shapes, the others by what
    they read and write, with 8 operations per element of a norm and of `gelu`. Attention itself is left out.)");
  const double n = 16384, d = 2048;
  const auto elementwise = [&](double flops, double elements) {
    return accounting::Work{flops * n * d, 2 * elements * n * d};
  };
  const std::pair<const char*, accounting::Work> parts[] = {
      {"queries, keys, values", accounting::matrix_product(n, d, 3 * d, 2)},
      {"output of attention", accounting::matrix_product(n, d, d, 2)},
      {"MLP, up", accounting::matrix_product(n, d, 4 * d, 2)},
      {"MLP, down", accounting::matrix_product(n, 4 * d, d, 2)},
      {"`gelu`", elementwise(4 * 8, 4 * 2)},  // its width is 4 d
      {"two norms", elementwise(2 * 8, 2 * 2)},
      {"two additions", elementwise(2, 2 * 3)}};
  std::vector<TableRow> rows;
  double total = 0, others = 0, other_flops = 0, all_flops = 0;
  for (const auto& [called, work] : parts) {  // @stepover
    const double seconds = h100.seconds(work);
    const bool memory = h100.memory_bound(work);
    total += seconds;
    all_flops += work.flops;
    if (memory) {
      others += seconds;
      other_flops += work.flops;
    }
    rows.push_back({called, fmt::format("{:.3g}", work.flops / 1e9),
                    fmt::format("{:.{}f}", work.intensity(), work.intensity() < 10 ? 2 : 0),
                    fmt::format("{:.0f}", 1e6 * seconds), memory ? "memory" : "compute"});
  }
  table({"Forward", "GFLOP", "FLOPs per byte", "Microseconds, at least", "Limited by"}, rows);
  const double share_of_time = others / total;                 // @inspect share_of_time
  const double share_of_operations = other_flops / all_flops;  // @inspect share_of_operations
  assert(share_of_operations < 0.002 && share_of_time > 0.15);
  text(R"(
    What is not a matrix product has {:.2f} % of the operations, and {:.0f} % of the time. That is why it pays to fuse
    such operations with each other or with a product, and one reason why half of the peak is a good MFU.)",
       100 * share_of_operations, 100 * share_of_time);
}

// Layer normalization of operations that each read and write memory.
Tensor layer_norm_in_pieces(const Tensor& x) {
  const Tensor centered = x - x.mean({-1}, /*keepdim=*/true);
  const Tensor variance = centered.square().mean({-1}, /*keepdim=*/true);
  return centered * (variance + 1e-5).rsqrt();
}

void fewer_operations() {
  text("### Fewer operations are not less time");
  text(R"(
    RMSNorm leaves out what LayerNorm does with the mean and the bias. By count, it takes half of the operations:)"),
      link(works::rms_norm);
  const int64_t n = 4096, d = 512;
  const Tensor x = randn({n, d});
  const nn::LayerNorm layer_norm(d);
  const nn::RMSNorm rms_norm(d);
  const NoGradGuard no_grad;
  const auto counted = [](const auto& work) {  // @stepover
    const CountScope scope;
    (void)work();
    return scope.counted();
  };
  const Counters layer = counted([&] { return layer_norm(x); });             // @inspect layer
  const Counters rms = counted([&] { return rms_norm(x); });                 // @inspect rms
  const Counters pieces = counted([&] { return layer_norm_in_pieces(x); });  // @inspect pieces
  assert(layer.flops == 8 * n * d && rms.flops == 4 * n * d);
  text("But the bytes are nearly the same: both read $x$ and write $y$, and one or two elements for each row and "
       "column.");
  assert(rms.bytes == 4 * (2 * n * d + n + d));
  assert(layer.bytes == 4 * (2 * n * d + 2 * n + 2 * d));
  const accounting::Roofline h100{kH100.float32, kH100.memory_bandwidth};
  const auto bound = [&](Counters work) {  // @stepover
    return h100.seconds({static_cast<double>(work.flops), static_cast<double>(work.bytes)});
  };
  assert(std::abs(bound(rms) / bound(layer) - 1) < 0.002);
  text(R"(
    Where memory is the limit, and it is for both, they take the same time. A LayerNorm in pieces, without weight and
    bias, has fewer operations than the one that is a single operation, and moves four times its bytes:)");
  assert(pieces.flops < layer.flops && pieces.bytes > 3.9 * static_cast<double>(layer.bytes));
  const auto row = [&](const char* called, Counters work, const auto& run) {  // @stepover
    return TableRow{called, fmt::format("{:.1f}", static_cast<double>(work.flops) / static_cast<double>(n * d)),
                    fmt::format("{:.1f}", static_cast<double>(work.bytes) / static_cast<double>(n * d)),
                    fmt::format("{:.0f}", 1e6 * bound(work)), fmt::format("{:.2f} ms", 1e3 * measure_seconds(run))};
  };
  // @volatile
  table({"Norm", "FLOPs per element", "Bytes", "H100: microseconds, at least", "Measured here"},
        {row("`rms_norm`", rms, [&] { (void)rms_norm(x); }), row("`layer_norm`", layer, [&] { (void)layer_norm(x); }),
         row("`layer_norm`, in pieces", pieces, [&] { (void)layer_norm_in_pieces(x); })});
  text(R"(
    The bound for the H100 assumes that everything comes from memory, although these 17 MB would fit into its L2 cache.
    What was measured is this machine's: its caches hold much, and other work may have disturbed it. The rule stands:
    count operations in matrix products, and bytes everywhere else.)");
}

}  // namespace
