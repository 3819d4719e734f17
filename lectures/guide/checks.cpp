// Claims, exercises, calculators, costs, and what follows.

#include "mean_calculator.h"
#include "parts.h"

void claims_and_exercises() {
  text("## Claims and exercises");
  text(R"(
    What a lecture says about numbers, it should assert. A claim that holds
    is marked on the page, with the values of its parts; one that does not
    ends the lecture, with file and line. A text can become wrong when the
    program changes, a claim cannot.)");
  text(listing());
  const std::vector<int> sorted = {1, 2, 3, 5, 8};
  assert(std::is_sorted(sorted.begin(), sorted.end()) && sorted[2] == 3);
  const std::string refusal =
      error_of([&] { sorted.at(5); });  // @stepover
  assert(!refusal.empty());
  const float third = tensor(1.0).div(3).item();  // @inspect third
  assert(std::abs(third - 1.0 / 3) < 1e-6);       // @tol rel=1e-3 *

  text(R"(
    An exercise has an answer that opens, and may begin with a file that its
    readers complete:)");
  text(listing());
  exercise("What is the median of 3, 1 and 2? And of four numbers?",
           "2; with four, one takes the mean of the two in the middle.");
  exercise(
      "Merge the most frequent pair of a text.",
      {.answer = "It is the heart of lecture 1.", .starter = "merge"});
}

void calculators() {
  text("## Calculators");
  text(R"(
    A function in a header of its own, `NAME_calculator.h` beside the
    lecture's sources, can be called by readers, with inputs that they
    choose. It is compiled to WebAssembly for the page; the page does not
    need the network for it, nor a server.)");
  text(listing());
  calculator("How far is a mean from the truth?",
             {{.name = "deviation",
               .label = "Standard deviation",
               .value = "15",
               .min = 0.1,
               .max = 100},
              {.name = "count",
               .label = "Numbers",
               .value = "100",
               .min = 1,
               .max = 1e6,
               .logarithmic = true}},
             error_of_a_mean,
             {.presets = {{"A small survey", {{"count", "30"}}}}});
  text("The function is the one that the program calls, too:");
  text(listing());
  assert(standard_error(15, 100) == 1.5);
}

void costs() {
  text("## What it costs");
  text(R"(
    Operations on tensors count their floating-point operations, the bytes
    that they move, and the memory that they take; `F` shows these beside the
    lines. A scope gives them to the program, so that it can make claims
    about them:)");
  text(listing());
  const Tensor a = ones({64, 128}), b = ones({128, 32});
  const accounting::Scope scope;
  const Tensor product = a.matmul(b);
  const auto flops = scope.cost().counters.flops;  // @inspect flops
  assert(flops == 2 * 64 * 128 * 32);
}

void before_it_is_published() {
  text("## Before it is published");
  text(R"(
    `lectern accept` keeps the trace of a run that you have looked at. From
    then on `lectern check` runs the lecture again and compares: each
    statement that ran more or less often, each value and each text that
    changed is listed with file and line. In continuous integration its exit
    status is the answer, and a report shows both runs side by side, stepped
    together. Where numbers depend on the machine, three things help:)");
  table({"It differs because", "then"},
        {{"it is a time, an address, a random seed of the system",
          "`@volatile x`: shown, never compared"},
         {"sums are added in another order",
          "`@tol rel=1e-4 x`: compared with this tolerance"},
         {"a GPU did it",
          "a trace of its own for the profile `cuda`, and a "
          "switch on the page"}});
  text(R"(
    A draft is built and not published. Pages for students leave out notes
    and answers, or have the answers from a day on. Give a lecture away as
    one file that opens anywhere (`lectern render --single-file`) or a
    notebook (`lectern export`), or show a few of its steps in a frame of
    another page, whose code `Y` copies.)");
  text(R"(
    To present, press `P`: one section at a time, in large type, and `S` for
    your notes and the clock in a window of their own. On paper the page has
    its final values, and addresses behind its links.)");
}
