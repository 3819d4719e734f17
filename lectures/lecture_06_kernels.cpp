// Lecture 6: kernels. How a GPU computes, and why the same arithmetic takes one time or ten.

#include "lecture_06_kernels/parts.h"

void overview();

int main() {
  lecture({.title = "Kernels",
           .date = "2026-11-28",
           .authors = {"The Lectern authors"},
           .tags = {"kernels", "GPU", "memory", "FLOPs", "attention"},
           .description =
               "How a GPU computes: bytes, operations and limits of gelu, transposition, softmax, products and "
               "attention, each from the plain loop to the one that is fast.",
           .series = "Training language models",
           .order = 6,
           .goals = {"say of a kernel what limits it, before it is written",
                     "count the bytes that a loop moves, and reorder it so that it moves fewer",
                     "write softmax in one pass, and attention without its matrix of scores"},
           .prerequisites = {"lecture_02", "C++ loops and arrays"}});
  overview();
  the_limits();
  how_a_gpu_reads();
  transposition();
  fusion_of_operations();
  softmax_of_rows();
  matrix_products();
  attention_by_tiles();
  what_was_recorded();
  what_to_take_away();
}

void overview() {
  text(R"(
    An H200 takes the softmax of a matrix of 8,192 × 16,384 bfloat16 numbers in 246 µs, or in 140 µs. The numbers that
    go in are the same, and so, up to rounding, are those that come out. **Where do the 106 µs go?**)");
  text(R"(
    This lecture answers with a method rather than with tricks. One counts what has to be moved and what has to be
    computed, divides both by what the machine can do, and takes the larger time: the limit. Then one looks at what the
    loop really moves. Nearly every fast kernel is a plain one whose loops were put in another order, so that a number,
    once fetched, is used as often as possible.)");
  text(R"(
    After it you can
    - do the **mechanics**: count bytes, operations and memory transactions of a loop, to the last one;
    - keep the **mindset**: the limit first, then the code, then the clock;
    - trust an **intuition**: what waits for memory, what for arithmetic, and what for neither.)");
  text(R"(
    You need the operations and the FLOPs of lecture 2, and no GPU. The algorithms of GPU kernels are ordinary
    algorithms. Here they run on a CPU, their accesses counted by small models of a cache, of a warp and of shared
    memory: these counts are exact, the same everywhere, and asserted. Times of this machine stand beside them. Times of
    a GPU are those that were recorded on one.)");
  note("The models are a page of code each. Ask what they leave out: associativity, prefetching, the second-level "
       "cache.");
}
