// Lecture 6, what a GPU recorded, and what to take away.

#include "h200.h"
#include "parts.h"

namespace {

// "1.50 ms" or "140 µs".  @stepover
std::string duration(double microseconds) {
  return microseconds < 1000 ? fmt::format("{:.3g} µs", microseconds) : fmt::format("{:.3g} ms", microseconds / 1000);
}

// @stepover
TableRow row_of(const Recorded& each) {
  return {each.what,
          each.of,
          duration(each.microseconds),
          fmt::format("{:.0f} %", 100 * each.share_of_limit),
          each.rate,
          duration(each.torch_microseconds)};
}

// The same algorithms on the GPU of this run.
void measured_here() {
  text("And this run's own GPU:");
  const Tensor x = randn({8192, 8192}, {.device = "cuda"});
  const Tensor half = x.to(bfloat16);
  const auto row = [&](const char* what, double bytes, const auto& work) {  // @stepover
    const double seconds = measure_seconds(work);
    return TableRow{what, in_milliseconds(seconds), fmt::format("{:.0f} GB/s", bytes / seconds / 1e9)};
  };
  const double n = 8192. * 8192;
  table({"8,192 × 8,192 float32", "Time", "Bytes over time"},
        {row("copy", 8 * n, [&] { x.clone(); }),
         row("gelu in pieces", 44 * n, [&] { 0.5 * x*(1 + erf(x / std::sqrt(2.0))); }),
         row("`gelu`", 8 * n, [&] { gelu(x); }), row("softmax", 8 * n, [&] { softmax(x, 1); }),
         row("transposition", 8 * n, [&] { (void)x.t().contiguous(); })});   // @stepover @volatile
  const double seconds = measure_seconds([&] { (void)half.matmul(half); });  // @stepover @inspect seconds @volatile
  text("The product of two such matrices in bfloat16 went at {:.0f} TFLOP/s.",
       2 * n * 8192 / seconds / 1e12);  // @volatile
}

}  // namespace

void what_was_recorded() {
  text("## What a GPU recorded");
  text(R"(
    Our operations on one NVIDIA H200, measured on 28 November 2026, beside PyTorch 2.11 on the same card. The products
    are cuBLAS's and one attention is cuDNN's, the other kernels are our own. The limit is the least time for the bytes
    and the operations of a call: bytes at 4.3 TB/s, which copies on an H200 were measured to reach (4.17 in this run; the
    data sheet says 4.8), operations in bfloat16 at 790 TFLOP/s, which the best products elsewhere reach (742 here; the
    data sheet says 989), in others at the data sheet's peak. They are rows of `tests/bench/results/2026-11-28-h200.txt`.)");
  std::vector<TableRow> rows;
  for (const Recorded& each : kRecorded) rows.push_back(row_of(each));  // @stepover
  table({"Kernel", "Of", "Time", "Of the limit", "Rate", "PyTorch"}, rows);
  std::vector<std::pair<std::string, double>> bars;
  for (const Recorded& each : kRecorded) {  // @stepover
    std::string name = each.what;
    std::erase(name, '`');
    if (name.starts_with("product")) name += fmt::format(", {}", each.of);
    bars.emplace_back(name, 100 * each.share_of_limit);
  }
  bar_plot(
      bars,
      {.y = "% of the limit",
       .y_max = 100,
       .alt = "Bars of the shares of the limit in the table. A sum of two reaches all of it, transpositions 62 "
              "and 80 %, softmax 89, large products in bfloat16 94 and 93, the one of 1,024 only 22, attention 39 by "
              "our kernel and 78 by cuDNN.",
       .caption = "How far from its limit each kernel is. NVIDIA H200, 2026-11-28."});
  text(R"(
    Read it by limits. What waits for memory and reads in order is mostly at 86 % or more; layer norm, at 73, has something
    left to gain. What must turn things around is at 62 and 80. Large products in bfloat16 are within ten per cent of
    theirs; a small one is limited by neither. And attention, two products and a softmax in one kernel, is at 78 at best,
    and at 39 with our own.)");
  text(R"(
    Rates are as they were recorded. The bytes of a row can be recomputed from its sizes: softmax moves 537 MB in 140 µs,
    the product of 8,192 does 1.1 · 10¹² operations in 1.5 ms:)");
  const double softmax_rate = 4. * 8192 * 16384 / 140e-6;         // @inspect softmax_rate
  const double product_rate = 2. * 8192 * 8192 * 8192 / 1.50e-3;  // @inspect product_rate
  assert(std::abs(softmax_rate / 3836e9 - 1) < 0.01);
  assert(std::abs(product_rate / 732e12 - 1) < 0.01);
  if (cuda::is_available()) return measured_here();
  text("This run had no GPU. With one, it would measure some of these itself, here.");
}

void what_to_take_away() {
  text("## What to take away");
  text(R"(
    - Count first. Bytes over bandwidth, operations over peak, launches: the largest is the limit, and it is known before
      the kernel is written.
    - Most kernels wait for memory. Fewer bytes make them faster, by fusion or a smaller format, and bytes in better order;
      more arithmetic units do not.
    - A number that was fetched should be used before it leaves. Tiles arrange that, in every memory from the disk to the
      registers, and the intensity grows with their side.
    - A warp should touch neighbours: 4 sectors, not 32; and all banks, not one.
    - Online softmax needs one pass, and its pairs can be joined in any order. It is what lets attention go by tiles.
    - A compiler fuses what stands in a row. It takes a person to change the algorithm.
    - What is small waits for the host. Graphs help, larger work helps more.
    - The clock has the last word. But it says only *how long*, and the count says *why*.)");
  exercise("Take a kernel of your own. What are its bytes, its operations, its limit, and its share of it?",
           R"(
    If the share is above 80 %, leave the kernel and look for bytes that need not be moved at all. If it is below 50 %,
    compare the bytes that it should move with those that a profiler says it moves.)");
}
