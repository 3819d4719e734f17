// Lecture 6, softmax: in three passes, in two, in one, and by a warp.

#include <limits>

#include "online.h"
#include "parts.h"

namespace {

// A row that counts how often it is read and written.
class CountedRow {
 public:
  explicit CountedRow(std::vector<float> numbers) : numbers_(std::move(numbers)) {}

  int64_t reads = 0, writes = 0;

  std::size_t size() const { return numbers_.size(); }
  // @stepover
  float read(std::size_t i) {
    ++reads;
    return numbers_[i];
  }
  // @stepover
  void write(std::size_t i, float number) {
    ++writes;
    numbers_[i] = number;
  }
  const std::vector<float>& numbers() const { return numbers_; }

 private:
  std::vector<float> numbers_;
};

// The definition.
void softmax_by_definition(CountedRow& x, CountedRow& y) {
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::exp(x.read(i));
  for (std::size_t i = 0; i < x.size(); ++i) y.write(i, std::exp(x.read(i)) / sum);
}

// No exponent above 0.
void softmax_in_three_passes(CountedRow& x, CountedRow& y) {
  float max = -std::numeric_limits<float>::infinity(), sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) max = std::max(max, x.read(i));
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::exp(x.read(i) - max);
  for (std::size_t i = 0; i < x.size(); ++i) y.write(i, std::exp(x.read(i) - max) / sum);
}

// The maximum and the sum in one pass.
void softmax_online(CountedRow& x, CountedRow& y) {
  Online row;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float number = x.read(i);
    row = with(row, number);  // @stepover @inspect number row
  }
  for (std::size_t i = 0; i < x.size(); ++i) y.write(i, std::exp(x.read(i) - row.max) / row.sum);  // @stepover
}

// The whole row in registers: it is read once.
void softmax_in_registers(CountedRow& x, CountedRow& y) {
  std::vector<float> registers;
  for (std::size_t i = 0; i < x.size(); ++i) registers.push_back(x.read(i));
  Online row;
  for (const float number : registers) row = with(row, number);
  for (std::size_t i = 0; i < x.size(); ++i) y.write(i, std::exp(registers[i] - row.max) / row.sum);
}

void safe() {
  text(R"($$\mathrm{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}} = \frac{e^{x_i - m}}{\sum_j e^{x_j - m}}$$)");
  text("The definition on the left fails for numbers that are not even large:");
  CountedRow x({1000, 999, 998}), y({0, 0, 0});
  softmax_by_definition(x, y);         // @stepover
  const float first = y.numbers()[0];  // @inspect first
  assert(std::isnan(first));           // infinity over infinity
  text(R"(
    $e^{1000}$ is infinite in float32. With $m$ the maximum of the row, no exponent is above 0, one of the terms is 1, and
    nothing else has changed. But now the row is needed three times: for its maximum, for the sum, for the result.)");
  CountedRow safe_x({1000, 999, 998}), safe_y({0, 0, 0});
  softmax_in_three_passes(safe_x, safe_y);  // @stepover @inspect safe_y.numbers()
  assert(safe_x.reads == 3 * 3 && safe_y.writes == 3);
  assert(tensor(safe_y.numbers()).allclose(softmax(tensor({1000.F, 999.F, 998.F}), 0)));
}

void online() {
  text("### One pass for both");
  text(R"(
    Can the sum be taken before the maximum is known? It can, if it is mended whenever a larger number comes. Keep the
    maximum $m$ of the numbers so far, and the sum $s$ of their $e^{x_j - m}$. For a new number $x$:)"),
      link(works::online_softmax);
  text(R"($$m' = \max(m, x), \qquad s' = s \, e^{m - m'} + e^{x - m'}$$)");
  text(R"(
    The factor $e^{m - m'}$ turns every term $e^{x_j - m}$ of the old sum into $e^{x_j - m'}$, all at once. Where the
    maximum stays, it is 1. Step through it:)");
  CountedRow x({1, 3, 2, 5}), y({0, 0, 0, 0});
  softmax_online(x, y);
  assert(x.reads == 2 * 4 && y.writes == 4);
  assert(tensor(y.numbers()).allclose(softmax(tensor({1.F, 3.F, 2.F, 5.F}), 0)));
  text("And if a row fits into registers, those of a warp or of a block, it is read only once:");
  CountedRow once_x({1, 3, 2, 5}), once_y({0, 0, 0, 0});
  softmax_in_registers(once_x, once_y);  // @stepover
  assert(once_x.reads == 4 && once_y.writes == 4);
  assert(tensor(once_y.numbers()).allclose(tensor(y.numbers())));
  table({"Softmax", "Reads", "Writes", "Bytes per float32"},
        {{"three passes", "3 n", "n", 16}, {"online", "2 n", "n", 12}, {"row in registers", "n", "n", 8}});
  text(R"(
    The row need not come from memory the second time: if it is short, a cache has it. Then the three differ less than the
    table says. On a GPU thousands of rows may be under way at once, and share a cache.)");
}

void by_lanes() {
  text("### By the lanes of a warp");
  text(R"(
    The pair $(m, s)$ has a second virtue. Two pairs, of two parts of a row, can be joined, in any order:)");
  text(R"(
    $$(m_1, s_1) \oplus (m_2, s_2) = \left(m,\; s_1 e^{m_1 - m} + s_2 e^{m_2 - m}\right)$$
    with $m = \max(m_1, m_2)$.)");
  text(R"(
    So a row can be divided among the 32 lanes of a warp, each with a pair of its own, and the pairs joined at the end.
    Lane $l$ takes the numbers $l, l + 32, l + 64, …$: at any time, the warp reads neighbours. To join them, each lane
    exchanges its pair with the lane whose number differs in one bit, five times. This *butterfly* needs no memory at all,
    and in the end all lanes have the result:)"),
      link<Online>(), link(merged);
  const int64_t n = 1000;  // not a multiple of 32: some lanes have a number less
  Generator generator = Generator().manual_seed(0);
  const Tensor row = 4 * randn({n}, {}, &generator);
  const auto numbers = [&] {  // @stepover
    std::vector<float> all;
    for (int64_t i = 0; i < n; ++i) all.push_back(row[i].item());
    return all;
  }();
  std::vector<Online> lanes(32);
  for (int64_t i = 0; i < n; ++i) lanes[i % 32] = with(lanes[i % 32], numbers[i]);  // @stepover
  for (int distance = 16; distance > 0; distance /= 2) {
    const std::vector<Online> before = lanes;
    for (int lane = 0; lane < 32; ++lane) {  // @stepover
      lanes[lane] = merged(before[lane], before[lane ^ distance]);
    }
    const Online first = lanes[0], last = lanes[31];  // @inspect distance first last
  }
  Online in_order;
  for (const float number : numbers) in_order = with(in_order, number);  // @stepover @inspect in_order
  assert(lanes[0].max == in_order.max && lanes[31].max == in_order.max);
  assert(std::abs(lanes[0].sum / in_order.sum - 1) < 1e-5);
  assert(std::abs(lanes[31].sum / in_order.sum - 1) < 1e-5);
  text(R"(
    On a CPU the lanes are those of vector instructions, and there is a second reason for them. Each step of the online
    pass needs the one before it: a chain, in which the processor waits for every `exp`. Sixteen chains can be under way
    at once. The three on this machine, on 1,024 rows of 1,024:)");
  const Tensor matrix = randn({1024, 1024}, {}, &generator);
  const std::vector<float> rows(matrix.data<float>(), matrix.data<float>() + matrix.numel());  // @stepover
  std::vector<float> result(rows.size());
  // @stepover
  const double passes =
      measure_seconds([&] { softmax_of_all(rows.data(), result.data(), 1 << 20, 1024, three_passes); }, 1);
  const double chain =
      measure_seconds([&] { softmax_of_all(rows.data(), result.data(), 1 << 20, 1024, one_chain); }, 1);  // @stepover
  const double chains = measure_seconds(
      [&] { softmax_of_all(rows.data(), result.data(), 1 << 20, 1024, sixteen_chains); }, 1);  // @stepover
  assert(tensor(result).view({1024, 1024}).allclose(softmax(matrix, 1), 1e-4, 1e-7));          // @stepover
  const double stack = measure_seconds([&] { softmax(matrix, 1); }, 2);                        // @stepover
  table({"Softmax of 1,024 × 1,024 floats", "Time here"},
        {{"three passes", in_milliseconds(passes)},
         {"online, one chain", in_milliseconds(chain)},
         {"sixteen chains", in_milliseconds(chains)},
         {"`softmax`, with an `exp` of vectors", in_milliseconds(stack)}});  // @volatile
  text(R"(
    Here the limits show. A row of 4 KiB stays in the cache, so that passes over it cost little, and the online pass takes
    two exponentials for each number instead of one. Where exponentials are what one waits for, as with the plain `exp` of
    these three loops, fewer bytes gain nothing. The fourth row computes `exp` for a vector of numbers at once: first
    the limit, then the remedy.)");
}

void answer() {
  text("### The 106 µs");
  text(R"(
    The question of the beginning. 8,192 × 16,384 bfloat16 numbers, read once and written once, are 537 MB, and memory on an H200 was measured
    to move 4.3 TB/s:)");
  const double bytes = 2. * 2 * 8192 * 16384;
  const double at_least = bytes / 4.3e12;               // @inspect at_least
  const double moved_in_246 = 246e-6 * 4.3e12 / bytes;  // @inspect moved_in_246
  assert(std::lround(1e6 * at_least) == 125);
  assert(at_least / 140e-6 > 0.89);
  assert(moved_in_246 > 1.9 && moved_in_246 < 2);
  text(R"(
    125 µs is the limit. A kernel that reads each row once, ours, takes 140: 89 % of the limit. The 246 µs are those of
    PyTorch 2.11 on the same card. In this time memory could have moved nearly twice the bytes. A second reading of each row would
    add 62 µs if it came from memory, less if a cache still has the row; the rest is for a profiler to find. That there *is* something to find, a count told.)");
  const double second_reading = bytes / 2 / 4.3e12;  // @inspect second_reading
  assert(std::lround(1e6 * second_reading) == 62);
  exercise("`merged` gives NaN when both parts are masked, all $-\\infty$. Write one that does not.",
           {.answer = R"(
    A pair that has seen nothing, or only $-\infty$, has $m = -\infty$ and $s = 0$. Where both are like that,
    $m_1 - m$ is $-\infty + \infty$, not a number: return an empty pair before.)",
            .starter = "online_softmax"});
}

}  // namespace

void softmax_of_rows() {
  text("## Softmax");
  safe();
  online();
  by_lanes();
  answer();
}
