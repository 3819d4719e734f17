// Lecture 6, the two limits of a machine.

#include "accounting/memory_bandwidth.h"
#include "parts.h"

namespace {

// What an operation at least moves and computes, and what limits it on a machine.  @stepover
TableRow limit_of(const std::string& what, const std::string& formula, accounting::Work work,
                  const accounting::Roofline& machine) {
  return {what, formula, fmt::format("{:.{}f}", work.intensity(), work.intensity() < 10 ? 2 : 0),
          machine.memory_bound(work) ? "memory" : "arithmetic", fmt::format("{:.0f} µs", 1e6 * machine.seconds(work))};
}

void limits_of_this_machine() {
  text(R"(
    And the machine that ran this page? Of a CPU the peak follows from its units and its clock, and the rate of its
    memory is measured, by copies of a buffer that no cache of it
    holds:)");
  const auto peak = peak_flops(cpu, float32);  // @inspect peak @volatile
  // @stepover @inspect bandwidth @volatile
  const double bandwidth = measure_memory_bandwidth(get_num_threads()).value_or(0);
  const double ridge = bandwidth > 0 ? peak.value_or(0) / bandwidth : 0;  // @inspect ridge @volatile
  text(R"(
    These are FLOP/s, bytes/s, and FLOPs per byte; where the processor is unknown, there is no peak, and the ridge is
    shown as 0. CPUs, too, have more arithmetic than their memory can feed. Whatever the device, the same loops are good
    and the same are bad.)");
}

}  // namespace

void the_limits() {
  text("## Two limits");
  text(R"(
    A device computes at most so many operations a second, $P$, and its memory moves at most so many bytes, $B$. Work of
    $F$ operations and $M$ bytes, if both go on at the same time, takes at least)");
  text(R"($$t \ge \max\left(\frac{F}{P}, \frac{M}{B}\right).$$)");
  text(R"(
    Which of the two is larger depends on the *arithmetic intensity* $F / M$ alone. Below the *ridge point* $P / B$ the
    work waits for memory, above it for arithmetic. Drawn over the intensity, the rate that can be attained is a slope
    and a ceiling: a *roofline*.)"),
      link(works::roofline);
  const Hardware h100 = *find_product("H100 SXM");
  const Hardware h200 = *find_product("H200 SXM");
  const accounting::Roofline h100_bfloat16{h100.bits16, h100.memory_bandwidth};
  const accounting::Roofline h200_bfloat16{h200.bits16, h200.memory_bandwidth};
  const double h100_ridge = h100_bfloat16.ridge();  // @inspect h100_ridge
  const double h200_ridge = h200_bfloat16.ridge();  // @inspect h200_ridge
  assert(std::lround(h100_ridge) == 295);
  assert(std::lround(h200_ridge) == 206);
  text(R"(
    The H200 has the arithmetic of the H100 and a faster memory. For each bfloat16 number that it fetches it could do
    412 operations. What does one do with a number? The least that operations have to move, inputs read once and results
    written once, in bfloat16:)");
  const double n = 8192;
  const accounting::Work add{n * n, 3 * n * n * 2};
  const accounting::Work softmax_work{5 * n * n, 2 * n * n * 2};
  const accounting::Work vector_product = accounting::matrix_product(1, n, n, 2);
  const accounting::Work product = accounting::matrix_product(n, n, n, 2);
  table({"On an H200, n = 8,192", "FLOPs / bytes", "FLOPs per byte", "limit", "at least"},
        {limit_of("sum of two matrices", "$n^2 / 6 n^2$", add, h200_bfloat16),
         limit_of("softmax of rows", "$5 n^2 / 4 n^2$", softmax_work, h200_bfloat16),
         limit_of("a row times a matrix", "$2 n^2 / (2 n^2 + 4 n)$", vector_product, h200_bfloat16),
         limit_of("product of two matrices", "$2 n^3 / 6 n^2$", product, h200_bfloat16)});
  assert(add.intensity() == 1 / 6.);
  assert(softmax_work.intensity() == 1.25);
  assert(vector_product.intensity() < 1);
  assert(product.intensity() == n / 3);
  assert(h200_bfloat16.memory_bound(softmax_work) && !h200_bfloat16.memory_bound(product));
  text(R"(
    Two kinds of kernels, then. Most wait for memory: their art is to move no byte twice. Products of large matrices
    wait for arithmetic, *if* each fetched number is used a few hundred times: their art is to arrange that. (Elementwise
    operations run in units with the float32 peak, which is lower; they stay far below even that.))");
  limits_of_this_machine();
  exercise(R"(
    A language model writes one token after another, for one reader. Each token multiplies a vector by every weight
    matrix. What limits it on an H200, and how many tokens per second can 8 billion bfloat16 parameters give at most?)",
           R"(
    Memory: a row times a matrix does one operation per byte. All 16 GB of weights are read for each token, so at most
    $4.8 \cdot 10^{12} / (16 \cdot 10^9) = 300$ tokens per second. For 32 readers at once the same 16 GB serve 32 tokens;
    only from a batch of about 206 on would arithmetic be the limit.)");
  const double tokens_per_second = h200.memory_bandwidth / (2 * 8e9);  // @inspect tokens_per_second
  assert(tokens_per_second == 300);
}
