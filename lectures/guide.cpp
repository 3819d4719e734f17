// A guide to writing lectures, which is one.

#include "guide/parts.h"

void overview() {
  text(R"(
    A lecture is a C++ program that says something while it runs. This guide
    is such a program: each example stands in its source, and is shown twice,
    **as it is written** and, below, **as a reader has it**. Step into it
    with `→`, or read on.)");
  image("figures/guide/record.svg",
        {.alt = "A program runs once and gives a trace; the trace is rendered as a page, and compared with that of the "
                "next run.",
         .caption = "The page is made of the trace alone: whoever reads it compiles and runs nothing.",
         .width = 640});
  text(R"(
    What has to be installed, the commands, and the exact rules of each hook
    and directive are in the README and in the headers that it names. Here is
    how they look, and what they are good for.)");
}

void takeaways() {
  text("## What to take away");
  text(R"(
    - Write the program first, so that it computes what the lecture is about.
      Then say, between its lines, what a reader should see in it.
    - Let the run say what it can: a number in a text is a field, a number in
      an argument a claim.
    - Show few values, at the statements where they matter. A reader who
      wants more has the histories of variables.
    - Step over what is not the point, and thin out what repeats itself.
    - Look at the page, at the width of a phone too; and let the machine
      check it on each change.)");
}

int main() {
  lecture({.title = "Writing lectures",
           .date = "2026-11-28",
           .authors = {"The Lectern authors"},
           .tags = {"Lectern"},
           .description = "Every hook and every directive, each beside what it makes of the page.",
           .goals = {"turn a program into a page that explains it",
                     "choose what of a run a reader sees, and in which steps",
                     "make claims that a machine checks on every change"},
           .prerequisites = {"C++: functions, classes, the standard library's containers"}});
  overview();
  prose();
  figures();
  plots_and_tables();
  boxes();
  values_of_variables();
  values_of_your_own();
  steps();
  large_runs();
  claims_and_exercises();
  calculators();
  costs();
  before_it_is_published();
  takeaways();
}
