// Lecture 6, a transposition with and without a tile.

#include "cache.h"
#include "parts.h"
#include "transpositions.h"
#include "warps.h"

namespace {

// What a transposition reads and writes, row after row of x. The n × n floats of x lie at 0, those of y behind them.
void touch_by_rows(Cache& cache, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {    // @steps first 2 last 1
    for (int64_t j = 0; j < n; ++j) {  // @steps first 8 last 0
      const bool had_x = cache.read(4 * (i * n + j));
      const bool had_y = cache.write(4 * (n * n + j * n + i));  // @inspect i j had_x had_y cache.fetched
    }
  }
}

// The same, tile by tile.
void touch_by_tiles(Cache& cache, int64_t n, int64_t side) {
  for (int64_t top = 0; top < n; top += side) {       // @steps first 1
    for (int64_t left = 0; left < n; left += side) {  // @steps first 1
      for (int64_t i = top; i < top + side; ++i) {
        for (int64_t j = left; j < left + side; ++j) {  // @steps first 8 last 0
          const bool had_x = cache.read(4 * (i * n + j));
          const bool had_y = cache.write(4 * (n * n + j * n + i));  // @inspect i j had_x had_y cache.fetched
        }
      }
    }
  }
}

void step_by_step() {
  text(R"(
    A transposition computes nothing. It reads along rows and writes along columns, and that is all its trouble. Follow
    it on a matrix of 8 × 8, with a cache so small that one can keep an eye on it: eight lines of four floats.)");
  Cache cache(8 * 16, 16);  // @stepover
  touch_by_rows(cache, 8);
  cache.flush();
  const int64_t fetched_by_rows = cache.fetched;  // @inspect fetched_by_rows
  text(R"(
    Of x a line is fetched once and serves four reads. Of y each number lies in another row, and each row in another
    line. Before the second number of a line is written, seven other lines of y and at least two of x have been used; the
    line has left. So each of the 64 writes fetches a line, changes a quarter of it, and loses it:)");
  assert(fetched_by_rows == 64 / 4 + 64);
  text("Now in tiles of 4 × 4. Four lines of x and four of y are eight: they fit.");
  Cache other(8 * 16, 16);  // @stepover
  touch_by_tiles(other, 8, 4);
  other.flush();
  const int64_t fetched_by_tiles = other.fetched;  // @inspect fetched_by_tiles
  assert(fetched_by_tiles == 64 / 4 + 64 / 4);
  text("Each line is fetched once. Fewer are not possible: there are that many.");
}

void at_full_size() {
  text("### At full size");
  text(R"(
    A cache of 32 KiB with lines of 64 bytes, about what a CPU's core has closest to it, and a matrix of 1,024 × 1,024
    floats, 4 MiB. A line holds 16 numbers. Row by row, x takes $n^2 / 16$ lines; y takes $n^2$, and each goes back, as it
    was written to. With tiles of 16 × 16 all three are $n^2 / 16$:)");
  const int64_t n = 1024;
  Cache by_rows(32 * 1024, 64), by_tiles(32 * 1024, 64);  // @stepover
  touch_by_rows(by_rows, n);                              // @stepover
  by_rows.flush();
  touch_by_tiles(by_tiles, n, 16);  // @stepover
  by_tiles.flush();
  assert(by_rows.fetched == n * n / 16 + n * n);
  assert(by_rows.written_back == n * n);
  assert(by_tiles.fetched == 2 * n * n / 16);
  assert(by_tiles.written_back == n * n / 16);
  assert(by_rows.bytes_moved() == 11 * by_tiles.bytes_moved());
  table({"1,024 × 1,024 floats", "Lines fetched", "written back", "Bytes moved"},
        {{"row by row", by_rows.fetched, by_rows.written_back, by_rows.bytes_moved()},
         {"by tiles of 16 × 16", by_tiles.fetched, by_tiles.written_back, by_tiles.bytes_moved()}});
  text(R"(
    Eleven times as many bytes for the same result. (Of the 12.6 MB a third is y fetched only to be overwritten. There
    are instructions that write past the cache and save it.) The loops on real numbers, with the clock of this
    machine:)");
  const int64_t m = 2048;
  std::vector<float> x(m * m), by_row(m * m), by_tile(m * m);                                            // @stepover
  for (int64_t i = 0; i < m * m; ++i) x[i] = static_cast<float>(i % 1009);                               // @stepover
  const double slow = measure_seconds([&] { transpose_by_rows(x.data(), by_row.data(), m); }, 2);        // @stepover
  const double fast = measure_seconds([&] { transpose_by_tiles(x.data(), by_tile.data(), m, 16); }, 2);  // @stepover
  const Tensor as_tensor = tensor(x).view({m, m});                                                       // @stepover
  const double stack = measure_seconds([&] { (void)as_tensor.t().contiguous(); }, 2);                    // @stepover
  assert(by_row == by_tile);                                                                             // @stepover
  table({"2,048 × 2,048 floats", "Time here"}, {{"row by row", in_milliseconds(slow)},
                                                {"by tiles", in_milliseconds(fast)},
                                                {"`x.t().contiguous()`", in_milliseconds(stack)}});  // @volatile
}

void by_a_warp() {
  text("### By a warp");
  text(R"(
    On a GPU the same thing happens in sectors. A thread for each number; the lanes of a warp read neighbours of a row and
    write them down a column:)");
  const int64_t n = 8192;
  const int64_t read = count_sectors(of_lanes(0, 4));         // @inspect read
  const int64_t written = count_sectors(of_lanes(0, 4 * n));  // @inspect written
  assert(read + written == 36);
  text(R"(
    36 sectors where 8 would do. The second-level cache can put some of the pieces together before they reach memory, but
    it is asked 32 times by each warp. With a tile the block reads rows, puts them into shared memory, and *all its
    threads* then read columns there, so that what they write are rows again:)");
  verbatim(R"(
    __shared__ float tile[32][33];                        // 33: a column lies in all banks
    tile[threadIdx.y][threadIdx.x] = x[row][column];      // a warp reads a row: 4 sectors
    __syncthreads();                                      // all rows are there
    y[turned_row][turned_column] = tile[threadIdx.x][threadIdx.y];  // and writes a row: 4 sectors
  )");
  const int64_t with_tile = 2 * count_sectors(of_lanes(0, 4));     // @inspect with_tile
  const int64_t in_shared_memory = count_rounds(of_lanes(0, 33));  // @inspect in_shared_memory
  assert(with_tile == 8 && in_shared_memory == 1);
  text(R"(
    On an H200, our kernel does it like that: 8,192 × 8,192 floats in 155 µs, where PyTorch 2.11 takes 467 µs for the same
    copy. 537 MB in 155 µs are 3.46 TB/s, 80 % of the 4.3 that memory was measured to move.)");
  const double rate = 2. * n * n * 4 / 155e-6;  // @inspect rate
  assert(std::abs(rate / 3.461e12 - 1) < 0.01);
  exercise(R"(
    In the model of 32 KiB, what happens to the transposition row by row when the matrix is 256 × 256? And at 528 × 528?
    (Count lines.))",
           R"(
    A row of x makes 256 lines of y needed again for the next row; with those of x that is far below 512, so every line is
    fetched once: as good as with tiles. At 528 × 528 the 528 lines of y no longer fit, and *least recently used* throws
    out just the line that comes next: nothing is left of the reuse. Between the two lies a cliff, not a slope.)");
  Cache fits(32 * 1024, 64), too_small(32 * 1024, 64);  // @stepover
  touch_by_rows(fits, 256);                             // @stepover
  touch_by_rows(too_small, 528);                        // 528 = 33 · 16, whole lines  @stepover
  assert(fits.fetched == 2 * 256 * 256 / 16);
  assert(too_small.fetched == 528 * 528 / 16 + 528 * 528);
}

}  // namespace

void transposition() {
  text("## A transposition");
  step_by_step();
  at_full_size();
  by_a_warp();
}
