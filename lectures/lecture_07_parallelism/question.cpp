// Lecture 7, the question, and the four processes that answer it.

#include "parts.h"

namespace {

void four_processes();

}  // namespace

void the_question() {
  text(R"(
    **A model of 70 billion parameters is to be trained on 1.4 trillion tokens, on GPUs of 80 GB. What does each GPU
    hold, what does it compute, and what does it have to send?**)");
  text(R"(
    The training state takes 16 bytes per parameter, and training about $6 N D$ operations. At an MFU of 40 %, one
    GPU would need so many years:)");
  const double N = 70e9, D = 1.4e12;
  const double state = 16 * N;                                    // @inspect state
  const double gpus_for_state = std::ceil(state / kH100.memory);  // @inspect gpus_for_state
  const double seconds = accounting::training_seconds(accounting::six_n_d(N, D), 1, kH100.bits16, 0.4);
  const double years = seconds / (365.25 * 24 * 60 * 60);  // @inspect years
  assert(gpus_for_state == 14);
  assert(std::lround(years) == 47);
  text(R"(
    The state alone fills 14 GPUs, and one GPU would compute for 47 years. The work has to be divided, for two
    reasons that have nothing to do with each other: it **does not fit**, and it **takes too long**. There are four
    things to divide: the batch, the state, the matrices, and the layers. Each is a section below. All of them train
    the same small model, and each is compared with one process that trains it alone.)");
  text(R"(
    After this lecture you can
    - do the **mechanics**: count what a collective moves, and write one yourself; derive memory and traffic of each
      division of a model, and check both to the byte;
    - keep the **mindset**: divide something, ask what everyone now lacks, and count what it takes to fetch it;
    - trust an **intuition** for which division to try first, which link it needs, and what has gone wrong when the
      ranks wait for each other.)");
  text(R"(
    You need the training step of lecture 2, and the memory and operations of lecture 4. You need no GPU: bytes,
    messages and memory follow from shapes, and are the same between four processes on a laptop as between four GPUs.
    All counts below are asserted. Times are another matter, and are only shown.)");
  four_processes();
}

namespace {

void four_processes() {
  text("## Four processes");
  text(R"(
    This lecture ran four times at once. Each of the four processes has memory of its own, and knows of the others
    only what they send. What distinguishes it is its)"),
      term("rank",
           "The number of a process among those that compute together, from 0. Their count is the *world size*."),
      text(", a number from 0 to 3.");
  text(R"(
    The page follows rank 0. Beside its state stand the other three, at the same moment: a value that is not as on
    rank 0 is marked, and where ranks send each other something, `⇄` says how much.)");
  distributed::init_process_group();
  const int rank = distributed::get_rank();         // @inspect rank
  const int ranks = distributed::get_world_size();  // @inspect ranks
  assert(ranks == 4);
  assert(rank >= 0 && rank < ranks);
  text(R"(
    All ranks execute the same program. It is the usual style, *single program, multiple data*: a division of work is
    an expression in which `rank` occurs.)");
  const int64_t rows = 256;
  const int64_t first_row = rank * rows / ranks;      // @inspect first_row
  const int64_t end_row = (rank + 1) * rows / ranks;  // @inspect end_row
  assert(end_row - first_row == 64);
  note("Let the audience predict the values of rank 2 before you step.");
}

}  // namespace
