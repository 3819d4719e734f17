// How a run is divided into steps.

#include "parts.h"

int collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;  // @inspect n
    ++steps;
  }
  return steps;
}

// @stepover
int longest_below(int limit) {
  int best = 1;
  for (int n = 2; n < limit; ++n) {
    if (collatz(n) > collatz(best)) best = n;
  }
  return best;
}

void steps() {
  text("## Steps");
  text(R"(
    Each execution of a statement is a step, in every function whose source
    belongs to the lecture. A call can be stepped into, or over. What is no
    part of the lesson is one step:)");
  text(listing());
  const int into = collatz(6);   // @inspect into
  const int over = collatz(27);  // @stepover @inspect over

  text(R"(
    That can be said of a function, for all its calls; of a loop, for all its
    passes; or of a block:)");
  text(listing());
  const int best = longest_below(30);  // @inspect best
  for (int n = 1; n < 10; ++n) {       // @stepover
    collatz(n);
  }

  text("What is hidden runs as well, and is not on the page; `@hide "
       "file` at the head of a file hides all of it:");
  text(listing());
  const int secret = 41;          // @hide
  const int answer = secret + 1;  // @inspect answer
}

void large_runs() {
  text("## Large runs");
  text(R"(
    A run of millions of statements should not become a page of millions of
    steps. Two directives thin it out. `@steps` keeps the first and the last
    passes of a loop, and counts the others:)");
  text(listing());
  double sum = 0;
  for (int k = 1; k <= 100000; ++k) {           // @steps first 2 last 1
    sum += 1.0 / (static_cast<double>(k) * k);  // @inspect k sum
  }
  assert(std::abs(sum - 1.644924) < 1e-6);

  text(R"(
    `@stepover` on the loop leaves a single step. What is stepped over or
    left out costs next to nothing while it runs: a test decides, and nothing
    is written. A run that never ends, or whose trace outgrows its limit, is
    ended with a message that names the loop; what was recorded until then is
    a page all the same.)");
}
