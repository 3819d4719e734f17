// Lecture 6, what a GPU is made of and how it reads.

#include "warps.h"

#include "figures.h"
#include "occupancy_calculator.h"
#include "parts.h"

namespace {

void what_it_is_made_of() {
  text("## How a GPU reads");
  text(R"(
    A GPU is a collection of *multiprocessors*. Each has its own arithmetic units, registers and a piece of fast memory,
    and runs *blocks* of threads; all of them reach the same large memory through a common cache. 32 threads, a *warp*,
    execute one instruction together, each as a *lane* with operands of its own.)"),
      link(works::cuda_guide), link(works::hopper_tuning);
  image("figures/lecture_06_kernels/memories.svg",
        {.alt = "Four boxes beneath each other, each wider than the one above: registers, 256 KiB for each "
                "multiprocessor; shared memory and first-level cache, 256 KiB each; the second-level cache, 50 MB for "
                "all; memory, 80 GB "
                "at 3.35 TB/s.",
         .caption = "The memories of an H100 SXM, 132 multiprocessors. The closer, the faster."});
  const int64_t multiprocessors = 132;
  const int64_t threads = multiprocessors * 64 * kLanes;       // @inspect threads
  const int64_t register_bytes = multiprocessors * 65536 * 4;  // @inspect register_bytes
  assert(threads == 270'336);
  assert(register_bytes == 34'603'008);
  text(R"(
    64 warps fit on each multiprocessor, of an H200 as of an H100: 270,336 threads in all. They are not there to compute at once, a multiprocessor
    has 128 float32 units. They are there to *wait*. Memory answers after some hundreds of nanoseconds; meanwhile other
    warps go on. How much has to be under way at any time follows from Little's law: the rate times the delay. For the
    rate of an H200, and 600 ns as an order of magnitude:)");
  const double bytes_under_way = 4.8e12 * 600e-9;                                 // @inspect bytes_under_way
  const double for_each_thread = bytes_under_way / static_cast<double>(threads);  // @inspect for_each_thread
  assert(for_each_thread > 8 && for_each_thread < 16);
  text(R"(
    With every place taken, each thread has to have some 11 bytes under way all the time. A load of 4 bytes by each is
    too little, one of 16 is enough. That is why fast kernels load 16 bytes with one instruction, or several times before
    they use the first.)");
}

void how_many_warps_fit() {
  text("### How many warps fit");
  text(R"(
    Registers are shared out when a block begins. A multiprocessor has 65,536; a kernel that takes 128 in each of its
    threads leaves room for 512 threads, a quarter of the 2,048. This share is the *occupancy*. What else counts is
    shared memory, and the number of blocks:)");
  const int64_t few = resident_blocks({.threads = 256, .registers = 32, .shared_bytes = 0});          // @stepover
  const int64_t many = resident_blocks({.threads = 256, .registers = 128, .shared_bytes = 0});        // @stepover
  const int64_t all = resident_blocks({.threads = 256, .registers = 255, .shared_bytes = 0});         // @stepover
  const int64_t tiles = resident_blocks({.threads = 256, .registers = 64, .shared_bytes = 100'000});  // @stepover
  assert(few == 8);    // 2,048 threads: all
  assert(many == 2);   // 512
  assert(all == 1);    // 256
  assert(tiles == 2);  // limited by shared memory
  text(R"(
    More is not always better. Fast products often run at an occupancy of an eighth or a quarter: they keep their sums
    in many registers, and have enough under way without many warps.)");
  // @stepover
  calculator("Occupancy of an H100", occupancy_inputs(), occupancy);
}

void coalesced() {
  text("### Neighbours read neighbours");
  text(R"(
    Memory is moved in *sectors* of 32 bytes. A load of a warp is answered with all sectors that any of its lanes
    touches, and what of them nobody asked for was moved in vain. So it matters what the 32 lanes want *together*:)");
  const int64_t side_by_side = count_sectors(of_lanes(0, 4));      // @inspect side_by_side
  const int64_t shifted = count_sectors(of_lanes(4, 4));           // @inspect shifted
  const int64_t every_second = count_sectors(of_lanes(0, 8));      // @inspect every_second
  const int64_t down_a_column = count_sectors(of_lanes(0, 4096));  // @inspect down_a_column
  const int64_t one_for_all = count_sectors(of_lanes(0, 0));       // @inspect one_for_all
  const int64_t wide = count_sectors(of_lanes(0, 16), 16);         // @inspect wide
  assert(side_by_side == 32 * 4 / kSectorBytes);
  assert(shifted == side_by_side + 1);
  assert(every_second == 2 * side_by_side);
  assert(down_a_column == 32);
  assert(one_for_all == 1);
  assert(wide == 32 * 16 / kSectorBytes);
  const auto row = [](const char* what, int64_t sectors, int64_t useful) {  // @stepover
    const double share = 100. * static_cast<double>(useful) / static_cast<double>(sectors * kSectorBytes);
    return TableRow{what, sectors, useful, fmt::format("{:.3g} %", share)};
  };
  table({"A load by 32 lanes", "Sectors", "Bytes asked for", "Used"},
        {row("floats side by side", side_by_side, 128), row("the same, one float further", shifted, 128),
         row("every second float", every_second, 128), row("a column of a matrix", down_a_column, 128),
         row("16 bytes each, side by side", wide, 512)});
  image(sectors_of_strides({1, 2, 4}),
        {.alt =
             "Three rows of sectors of eight floats. With stride 1, the 32 lanes fill four sectors. With stride 2 they "
             "are spread over eight, half of each unused, with stride 4 over sixteen, three quarters unused.",
         .caption = "What a warp asks for (blue) and what is moved for it (all that is drawn)."});
  text(R"(
    A load whose lanes are neighbours is called *coalesced*. The rule on a CPU is that a *thread* should go along a row;
    on a GPU it is that a *warp* should. A loop that gives each thread a row of its own is good on the first and the worst
    on the second.)");
}

void banks() {
  text("### Shared memory has banks");
  text(R"(
    Shared memory lies within the multiprocessor. It is divided into 32 *banks*, one word of 4 bytes wide: word $w$ is in
    bank $w \bmod 32$, and each bank gives one word at a time. In a tile of 32 × 32 words, a row lies in all banks. A
    column lies in one:)");
  const int64_t along_a_row = count_rounds(of_lanes(7 * 32, 1));  // @inspect along_a_row
  const int64_t down_a_column = count_rounds(of_lanes(5, 32));    // @inspect down_a_column
  const int64_t padded = count_rounds(of_lanes(5, 33));           // @inspect padded
  const int64_t one_word = count_rounds(of_lanes(5, 0));          // @inspect one_word
  assert(along_a_row == 1);
  assert(down_a_column == 32);
  assert(padded == 1);
  assert(one_word == 1);
  image(banks_of_tile(8),
        {.alt = "Two tiles of 8 by 8 words, each coloured by its bank. On the left, each column has one "
                "colour. On the right, rows are nine words apart, and each column has all colours.",
         .caption = "Eight banks instead of 32. Left: a column lies in one bank. Right: with a word "
                    "of padding in each row, each bank is a diagonal."});
  text(R"(
    The remedy takes one unused word in each row. With a pitch of 33, row $r$ of column $c$ lies in bank
    $(33 r + c) \bmod 32 = (r + c) \bmod 32$: different for each row. Our kernel's tile has just that.)");
  exercise(R"(
    There is a remedy without padding: in row $r$, put column $c$ where column $c \oplus r$ would be, by an exclusive or
    of the two numbers. Why do both rows and columns lie in 32 banks then?)",
           R"(
    Word $32 r + (c \oplus r)$ lies in bank $c \oplus r$. For a fixed $r$, the map from $c$ to $c \oplus r$ is a
    permutation of the numbers below 32; for a fixed $c$, so is the map from $r$. It is known as *swizzling*.)");
  for (const int64_t column : {0, 5, 31}) {  // @stepover
    std::vector<int64_t> words;
    for (int64_t row = 0; row < 32; ++row) words.push_back(32 * row + (column ^ row));
    assert(count_rounds(words) == 1);
  }
}

}  // namespace

void how_a_gpu_reads() {
  what_it_is_made_of();
  how_many_warps_fit();
  coalesced();
  banks();
}
