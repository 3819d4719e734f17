// Lecture 2, what operations cost.

#include "../shared/compute_optimal_calculator.h"
#include "../shared/matrix_product_calculator.h"
#include "parts.h"

void known_trainings() {
  text("### How much is much?");
  text(R"(
    Training GPT-3 took $3.14 \cdot 10^{23}$ FLOPs, says its paper. The rule of the napkin agrees, for 175
    billion parameters and 300 billion tokens:)"),
      link(works::gpt3);
  const double gpt3_flops = 3.14e23;
  const double gpt3_by_rule = 6 * 175e9 * 300e9;  // @inspect gpt3_by_rule
  assert(std::abs(gpt3_by_rule / gpt3_flops - 1) < 0.01);
  text(R"(
    GPT-4 is *speculated* to have taken about $2 \cdot 10^{25}$; nothing was published. A United States
    executive order of 2023, revoked in 2025, wanted every model reported that took $10^{26}$ or more.)"),
      link(works::executive_order);
  text("What does a machine do? The rates that data sheets promise for products of dense matrices:");
  const auto row = [](const Hardware& hardware) {  // @stepover
    const auto teraflops = [&](Dtype dtype, bool tf32 = false) -> TableCell {
      const auto peak = peak_flops(hardware, dtype, tf32);
      if (!peak) return "–";
      return *peak / 1e12;
    };
    return TableRow{hardware.name, teraflops(float32), teraflops(float32, true), teraflops(bfloat16),
                    teraflops(float8_e4m3fn)};
  };
  const Hardware a100 = find_hardware("NVIDIA A100-SXM4-80GB").value();
  const Hardware h100 = find_hardware("NVIDIA H100 80GB HBM3").value();
  const Hardware h200 = find_hardware("NVIDIA H200").value();
  table({"TFLOP/s", "float32", "TF32", "bfloat16", "float8"}, {row(a100), row(h100), row(h200)});
  assert(peak_flops(a100, bfloat16) == 312e12);
  assert(peak_flops(h100, bfloat16) == 1979e12 / 2);  // the sheet's, without sparsity
  text("Eight H100s that never rest do this in one week:");
  const double h100_flop_per_sec = 1979e12 / 2;
  const double total_flops = 8 * (60 * 60 * 24 * 7) * h100_flop_per_sec;  // @inspect total_flops
  assert(total_flops == 4.7875968e21);
  const double in_two_weeks = 2 * total_flops;  // @inspect in_two_weeks
  assert(std::abs(in_two_weeks - 9.575e21) < 1e18);
  text("The first figure can be met elsewhere under the heading of two weeks. It is that of one.");
  exercise("How long do the eight need for GPT-3, with an MFU of one half?",
           R"($3.14 \cdot 10^{23} / (0.5 \cdot 4.79 \cdot 10^{21})$ weeks: 131, or two and a half years.)");
  const double weeks = gpt3_flops / (0.5 * total_flops);  // @inspect weeks
  assert(std::lround(weeks) == 131);
  text(R"(
    What should a budget be spent on, parameters or tokens? Both should grow together, and a rule that follows from
    the measurements is 20 tokens for each parameter.)"),
      link(works::chinchilla), link(works::chinchilla_replication);
  // @stepover
  calculator("The best model for a budget", compute_optimal_inputs(), compute_optimal);
}

using Matrix = std::vector<std::vector<double>>;

// The product of two matrices as its definition has it. Returns the number of operations that it took.
int64_t triple_loop(const Matrix& x, const Matrix& w, Matrix& y) {
  int64_t flops = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < w[0].size(); ++k) {
      for (std::size_t j = 0; j < w.size(); ++j) {
        y[i][k] += x[i][j] * w[j][k];
        flops += 2;  // a multiplication and an addition @inspect flops
      }
    }
  }
  return flops;
}

// A matrix of one number.  @stepover
Matrix filled(std::size_t rows, std::size_t columns, double value) {
  return Matrix(rows, std::vector<double>(columns, value));
}

void linear_model() {
  text("### A linear model");
  text("There are $B$ points of $D$ numbers each; the model takes each of them to $K$ outputs.");
  const bool gpu = cuda::is_available();
  const bool large = has_large_gpu();
  const Device device = gpu ? Device("cuda") : cpu;
  const int64_t B = gpu ? 16384 : 1024;                // @inspect B
  const int64_t D = large ? 32768 : gpu ? 8192 : 256;  // @inspect D
  const int64_t K = large ? 8192 : gpu ? 4096 : 64;    // @inspect K
  Generator generator = Generator(device).manual_seed(0);
  const Tensor x = ones({B, D}, {.device = device});
  const Tensor w = randn({D, K}, {.device = device}, &generator);
  const CountScope scope;
  const Tensor y = x.matmul(w);
  const int64_t counted = scope.counted().flops;
  text("For each triple $(i, j, k)$ there is one multiplication, $x_{ij} w_{jk}$, and one addition.");
  const int64_t actual_num_flops = 2 * B * D * K;  // @inspect actual_num_flops
  assert(counted == actual_num_flops);
  text(R"(
    That is what our own operations say, too: each counts by its formula. A formula can be believed, or
    checked. Here is the definition with a counter:)");
  Matrix small = filled(2, 2, 0);
  int64_t flops = triple_loop(filled(2, 3, 1), filled(3, 2, 1), small);
  assert(flops == 2 * (2 * 3 * 2));
  assert(small[1][1] == 3);
  Matrix larger = filled(40, 20, 0);
  flops = triple_loop(filled(40, 30, 1), filled(30, 20, 1), larger);  // @stepover
  assert(flops == 2 * (40 * 30 * 20));
  text(R"(
    Read it as a model: $B$ is the number of data points, $D \cdot K$ the number of parameters. So the forward
    pass takes **2 · (data points) · (parameters)** operations. That holds for Transformers as well, to first
    order: almost all that they do is products with their parameters.)");
  text(R"(
    Attention is the rest. In a layer of width $d$, with $12 d^2$ parameters, it takes about $4 T d$
    operations more for each token of a sequence of length $T$: a share of $T / (6 d)$.)");
  const double share_of_attention = 1024 / (6. * 768);  // GPT-2's smallest @inspect share_of_attention
  assert(share_of_attention < 0.25);
}

void other_operations() {
  text("### Other operations");
  text(R"(
    An elementwise operation on an $m \times n$ matrix does $O(mn)$ operations, as does an addition of two. No
    other operation that deep learning uses grows like a product, as soon as matrices are large. Compare a
    product, and `relu` of its result:)");
  const Tensor x = ones({512, 256});
  const Tensor w = ones({256, 1024});
  const CountScope product_scope;
  const Tensor y = x.matmul(w);
  const Counters product = product_scope.counted();  // @inspect product.flops
  const CountScope relu_scope;
  const Tensor activations = relu(y);
  const Counters elementwise = relu_scope.counted();  // @inspect elementwise.flops
  assert(product.flops == 268'435'456);
  assert(elementwise.flops == 524'288);
  assert(product.flops == elementwise.flops * 2 * 256);
  text(R"(
    In time the two lie closer together, as an elementwise operation does little with each number that it
    fetches from memory. The number of operations for each byte moved is the *arithmetic intensity*:)");
  const auto intensity = [](Counters cost) {  // @stepover
    return static_cast<double>(cost.flops) / static_cast<double>(cost.bytes);
  };
  const double product_intensity = intensity(product);          // @inspect product_intensity
  const double elementwise_intensity = intensity(elementwise);  // @inspect elementwise_intensity
  assert(elementwise_intensity == 1 / 8.);
  assert(product_intensity > 70);
  text(R"(
    An H100 does 20 float32 operations in the time in which its memory delivers one byte. What has less to do
    for each byte waits for memory, and counting FLOPs says little about it.)");
  const Hardware h100 = find_hardware("NVIDIA H100 80GB HBM3").value();
  const double balance = h100.float32 / h100.memory_bandwidth;  // @inspect balance
  assert(balance == 20);
  assert(elementwise_intensity < balance && balance < product_intensity);
  text("Whether a product is large enough depends on all three of its sizes, on the format, and on the GPU:");
  // @stepover
  calculator("A matrix product on two GPUs", matrix_product_inputs(), matrix_product, {matrix_product_presets()});
}

// Times a product of two n×n matrices: a row of a table.  @stepover
TableRow timed_product(int64_t n, Dtype dtype, Device device) {
  const Tensor a = ones({n, n}, {.dtype = dtype, .device = device});
  const Tensor b = ones({n, n}, {.dtype = dtype, .device = device});
  const double seconds = measure_seconds([&] { (void)a.matmul(b); });
  const double flops = 2. * n * n * n;
  const auto mfu = model_flops_utilization(flops, seconds, peak_flops(device, dtype));
  return {fmt::format("`{}`", name(dtype)), fmt::format("{:.2f} ms", 1e3 * seconds),
          fmt::format("{:.0f} GFLOP/s", flops / seconds / 1e9), mfu ? fmt::format("{:.2f}", *mfu) : "unknown"};
}

void wall_clock_time() {
  text("### From operations to time");
  text(R"(
    How long an operation takes is measured with a clock, and with three precautions. A GPU works on its own
    while the program goes on, so one waits for it before reading the clock. The first run is not counted: it
    fetches memory and code. And of several runs one takes the shortest, as disturbances only ever add.)");
  const bool gpu = cuda::is_available();
  const Device device = gpu ? Device("cuda") : cpu;
  const int64_t n = gpu ? 8192 : 512;  // @inspect n
  const Tensor x = ones({n, n}, {.device = device});
  const double actual_time = measure_seconds([&] { (void)x.matmul(x); });  // @stepover @inspect actual_time @volatile
  const double actual_num_flops = 2. * n * n * n;
  const double actual_flop_per_sec = actual_num_flops / actual_time;  // @inspect actual_flop_per_sec @volatile
  text(R"(
    Each GPU has a data sheet that promises a rate. That of a CPU follows from its units and its clock: each core
    does two operations, a product and a sum, for each element of its vector units in each cycle. The device at
    hand:)");
  const auto promised_flop_per_sec = peak_flops(device, x.dtype());  // @inspect promised_flop_per_sec @volatile
  text("### Model FLOPs utilization");
  callout(Callout::definition, R"(
    **MFU** = (FLOP/s achieved) / (FLOP/s promised), where only the operations of the model itself count: not
    its communication, and nothing that is computed twice to save memory.)",
          "MFU");
  // @inspect mfu @volatile
  const auto mfu = model_flops_utilization(actual_num_flops, actual_time, promised_flop_per_sec);
  text(R"(
    A CPU's clock depends on how hot it is and on who else computes, and a virtual machine tells a nominal one: it may
    run faster, and reach more than was promised. Where a processor is unknown, nothing is promised, and a share of
    an unknown whole would be no number at all.)");
  text("An MFU of one half is good, and reached where products dominate. It depends on the format, too:");
  table({"Format", "Time", "Rate", "MFU"},
        {timed_product(n, float32, device), timed_product(n, bfloat16, device)});  // @volatile
  text(R"(
    On a GPU, bfloat16 reaches a far higher rate, and often a lower share of what is promised for it: the
    promise grew faster than the memory that has to keep up. A CPU without units for it gains nothing.)");
}

void operations_flops() {
  text("## What operations cost");
  text("A *floating-point operation* is an addition or a multiplication, or something as simple.");
  callout(Callout::definition, R"(
    **FLOPs** counts operations: how much was done. **FLOP/s** is a rate: how much a machine does in a second.
    Some write FLOPS for the second. We do not, as the two sound the same.)",
          "Two abbreviations");
  known_trainings();
  linear_model();
  other_operations();
  wall_clock_time();
}
