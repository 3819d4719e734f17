// Lecture 6, a product of matrices: loop order, tiles, registers.

#include "products.h"

#include "cache.h"
#include "parts.h"
#include "tile_calculator.h"

namespace {

// Where the elements of three n × n matrices of floats lie, one behind the other.
struct Addresses {
  int64_t n;

  int64_t a(int64_t i, int64_t k) const { return 4 * (i * n + k); }
  int64_t b(int64_t k, int64_t j) const { return 4 * (n * n + k * n + j); }
  int64_t c(int64_t i, int64_t j) const { return 4 * (2 * n * n + i * n + j); }
};

// What each order of the loops touches. A sum that stays in a register touches nothing.  @stepover
void touch_by_definition(Cache& cache, Addresses at) {
  for (int64_t i = 0; i < at.n; ++i) {
    for (int64_t j = 0; j < at.n; ++j) {
      for (int64_t k = 0; k < at.n; ++k) {
        cache.read(at.a(i, k));
        cache.read(at.b(k, j));
      }
      cache.write(at.c(i, j));
    }
  }
}

// @stepover
void touch_by_rows_of_b(Cache& cache, Addresses at) {
  for (int64_t i = 0; i < at.n; ++i) {
    for (int64_t k = 0; k < at.n; ++k) {
      cache.read(at.a(i, k));
      for (int64_t j = 0; j < at.n; ++j) {
        cache.read(at.b(k, j));
        cache.write(at.c(i, j));
      }
    }
  }
}

// @stepover
void touch_tiles(Cache& cache, Addresses at, int64_t side) {
  for (int64_t top = 0; top < at.n; top += side) {
    for (int64_t left = 0; left < at.n; left += side) {
      for (int64_t inner = 0; inner < at.n; inner += side) {
        for (int64_t i = top; i < top + side; ++i) {
          for (int64_t k = inner; k < inner + side; ++k) {
            cache.read(at.a(i, k));
            for (int64_t j = left; j < left + side; ++j) {
              cache.read(at.b(k, j));
              cache.write(at.c(i, j));
            }
          }
        }
      }
    }
  }
}

void order_of_loops() {
  text(R"(
    A product of two matrices of $n \times n$ does $2 n^3$ operations on $3 n^2$ numbers: each number can be used $n$
    times. Whether it is, or is fetched anew each time, is for the loops to decide. The definition has three of them,
    which may stand in any order, and may be cut.)");
  text(R"(
    Let n be 128, with a cache in proportion: 4 KiB, 64 lines of 16 floats. A row is 8 lines, and a matrix 1,024. We
    predict the lines that are fetched, then count them.)");
  const int64_t n = 128, line = 16;
  text(R"(
    **As defined**, `i j k`. The inner loop goes down a column of b: 128 lines, twice as many as there are. The next column
    lies in the same lines, but they are gone. Every step fetches one. Those of the row of a have gone, too: 8 for each
    element of c, and the element's own.)");
  Cache defined(4096, 64);  // @stepover
  touch_by_definition(defined, {n});
  assert(defined.fetched == n * n * n + n * n * (n / line) + n * n);
  text(R"(
    **Along rows**, `i k j`. Now the inner loop goes along a row of b and one of c. The row of c stays for the whole of
    `k`, 8 lines. All of b passes by for each `i`, 16 numbers in a line:)");
  Cache along_rows(4096, 64);  // @stepover
  touch_by_rows_of_b(along_rows, {n});
  assert(along_rows.fetched == n * n * n / line + 2 * n * n / line);
  text(R"(
    **By tiles** of $S \times S$ with $S = 16$. Three tiles of 16 lines are 48: they fit. A tile of a and one of b, $2 S^2$
    numbers, serve $2 S^3$ operations, and there are $(n / S)^3$ such pairs:)");
  const int64_t S = 16;
  Cache tiled(4096, 64);  // @stepover
  touch_tiles(tiled, {n}, S);
  assert(tiled.fetched == 2 * n * n * n / S / line + n * n / line);
  for (Cache* cache : {&defined, &along_rows, &tiled}) cache->flush();  // @stepover
  const auto row = [&](const char* order, const Cache& cache) {         // @stepover
    const double intensity = 2. * n * n * n / static_cast<double>(cache.bytes_moved());
    return TableRow{order, cache.fetched, cache.bytes_moved(), fmt::format("{:.3f}", intensity)};
  };
  table({"4,194,304 FLOPs", "Lines fetched", "Bytes moved", "FLOPs per byte"},
        {row("as defined", defined), row("along rows", along_rows), row("by tiles of 16 × 16", tiled)});
  text(R"(
    The operations are the same, and even the order in which the products of each sum are added. The bytes fall to a
    hundredth. With tiles the intensity is $2 S^3$ FLOPs for $2 S^2$ numbers, $S / 4$ FLOPs per byte in float32: **it
    grows with the side of the tile**, that is, with the root of the cache. No order of these operations does better by
    more than a constant factor.)"),
      link(works::pebble_game);
  exercise("With a cache of 4 KiB, what happens with tiles of 32 × 32? Predict, then think of the count.",
           R"(
    Three tiles of 32 × 32 floats are 12 KiB: they do not fit. Each row of the tile of b, 2 lines, has to be fetched for
    each row of a. That is no better than along rows.)");
  Cache too_large(4096, 64);  // @stepover
  touch_tiles(too_large, {n}, 32);
  const int64_t fetched_with_32 = too_large.fetched;  // @inspect fetched_with_32
  assert(fetched_with_32 == n * n * n / line + 2 * (n / 32) * (n / 32) * n * (32 / line));
  assert(fetched_with_32 > along_rows.fetched);
}

void registers_and_clock() {
  text("### Tiles in registers");
  text(R"(
    The same idea, one floor up. In all three loops above, each multiplication and addition is accompanied by a load or
    two. A core begins about as many loads in a cycle as multiplications, so two for each, or
    one and a store, leave its multipliers idle. So take a block of $r \times c$ elements of c into registers: for
    each $k$ load $r$ numbers of a and $c$ of b, and do $r c$ multiplications with them.)"),
      link(by_registers);
  const int64_t n = 128;
  std::vector<float> a(n * n), b(n * n), c(n * n);                      // @stepover
  const int64_t loads = by_registers(a.data(), b.data(), c.data(), n);  // @inspect loads
  assert(loads == n * n * n * (4 + 8) / (4 * 8));
  const double flops_per_load = 2. * n * n * n / static_cast<double>(loads);  // @inspect flops_per_load
  assert(std::abs(flops_per_load - 16 / 3.) < 1e-12);
  text(R"(
    5.3 operations for each number that is loaded, instead of one. And the 8 neighbours in a row of b are what a vector
    unit takes at once. On this machine, 512 × 512, one thread but for the last:)");
  const int64_t m = 512;
  std::vector<float> x(m * m), y(m * m), z(m * m);  // @stepover
  for (int64_t i = 0; i < m * m; ++i) {             // @stepover
    x[i] = static_cast<float>(i % 7 - 3);
    y[i] = static_cast<float>(i % 5 - 2);
  }
  const Tensor left = tensor(x).view({m, m}), right = tensor(y).view({m, m});
  const Tensor expected = left.matmul(right);
  std::vector<TableRow> rows;
  const auto measure = [&](const char* order, const auto& work) {  // @stepover
    const double seconds = measure_seconds(work, 1);
    rows.push_back({order, in_milliseconds(seconds), fmt::format("{:.1f} GFLOP/s", 2e-9 * m * m * m / seconds)});
    assert(tensor(z).view({m, m}).equal(expected));  // whole numbers: no rounding
  };
  measure("as defined", [&] { by_definition(x.data(), y.data(), z.data(), m); });                   // @stepover
  measure("along rows", [&] { by_rows(x.data(), y.data(), z.data(), m); });                         // @stepover
  measure("by tiles of 64 × 64", [&] { by_tiles(x.data(), y.data(), z.data(), m, 64); });           // @stepover
  measure("blocks of 4 × 8 in registers", [&] { by_registers(x.data(), y.data(), z.data(), m); });  // @stepover
  measure("`matmul`", [&] { (void)left.matmul(right); });                                           // @stepover
  table({"512 × 512 floats", "Time here", "Rate"}, rows);                                           // @volatile
  text(R"(
    All five gave the same numbers. A matrix of 512 × 512 floats is 1 MiB, and a large cache of the CPU may hold it. Then
    tiles for a smaller one gain nothing, and their short loops cost something; registers and vectors gain all the same. A
    library has all of it: tiles for each cache, copied so that they lie in one piece, and blocks for the registers of
    each processor.)");
}

void by_blocks_of_threads() {
  text("### On a GPU");
  text(R"(
    A block of threads computes a tile of c. It fetches tiles of a and b into shared memory, a few of them ahead of time,
    and each warp takes its part from there into registers. Three floors, and the same formula on each: a tile of
    $M \times N$ moves $M + N$ numbers for $M N$ multiplications, that is $\frac{2 M N}{(M + N) \, e}$ FLOPs per byte with
    elements of $e$ bytes.)");
  const auto intensity = [](double M, double N, double e) { return 2 * M * N / ((M + N) * e); };  // @stepover
  const double one_thread = intensity(1, 1, 2);                                                   // @inspect one_thread
  const double a_small_tile = intensity(32, 32, 2);  // @inspect a_small_tile
  const double a_tile = intensity(128, 256, 2);      // @inspect a_tile
  assert(one_thread == 0.5 && a_small_tile == 16);
  assert(std::abs(a_tile - 85.33) < 0.01);
  text(R"(
    Not even a tile of 128 × 256 reaches the 206 FLOPs per byte that the memory of an H200 asks for. The rest comes from
    the second-level cache: the tiles of a that one block fetches are those of all blocks in the same row of tiles, and
    many of them run at the same time.)");
  // @stepover
  calculator("Tiles of a product", tile_inputs(), product_tiles, {tile_presets()});
  text(R"(
    Size matters in yet another way. Recorded on an H200, in bfloat16: 732 TFLOP/s for n = 8,192, 742 for 4,096, and 170
    for 1,024. A product of 1,024 has the intensity for more, 341 FLOPs per byte. But in tiles of 128 × 256 it has only)");
  const auto tiles = [](int64_t n) { return (n / 128) * (n / 256); };  // @stepover
  const int64_t of_1024 = tiles(1024);                                 // @inspect of_1024
  const int64_t of_4096 = tiles(4096);                                 // @inspect of_4096
  assert(of_1024 == 32 && of_1024 < 132);
  const double places_used = of_4096 / 132. / std::ceil(of_4096 / 132.);  // @inspect places_used
  assert(places_used > 0.96);
  text(R"(
    32 tiles, for 132 multiprocessors. 4,096 has 512 of them: three full waves, and one of 116: 97 % of all places are taken. Libraries choose
    smaller tiles for small products, or divide the sum over k, and still cannot win what is not there. And in 12.6 µs,
    little more than twice the time from one of the smallest launches to the next, filling the multiprocessors and
    emptying them counts.)");
}

}  // namespace

void matrix_products() {
  text("## Products");
  order_of_loops();
  registers_and_clock();
  by_blocks_of_threads();
  tensor_cores();
}
