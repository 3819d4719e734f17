// Lecture 2, where random numbers come from.

#include <cstdlib>
#include <random>

#include <lectern/lecture.h>

#include "parts.h"

using namespace lectern;

void generator_per_use();

void randomness() {
  text("## Randomness");
  text(
      "Parameters begin with random numbers; data come in random order; dropout and "
      "sampling draw more. If a result is to be looked at twice, and a mistake to be "
      "found, these have to be the same numbers each time. So every source of them "
      "is given a seed.");
  text("In Python there are three places to do that: PyTorch, NumPy, and the module "
       "`random`. Forgetting one is a classic. Which are they in a C++ program?");
  text("**The generators of the tensors**, one for each device:");
  const int seed = 0;
  manual_seed(seed);
  text("**Engines of the standard library.** There is none of which everybody draws; "
       "each is an object that somebody made, and that begins at a fixed number when "
       "it is given no seed.");
  std::mt19937 engine(seed);
  text("**C's `rand`**, one for the whole program, and whoever calls it draws from "
       "it. Better not to. But a library may:");
  std::srand(seed);
  text(
      "`std::random_device` is no fourth. It asks the system for numbers that nobody "
      "can repeat, and belongs where a seed is chosen, at most.");

  text("What do they guarantee? The standard fixes what its *engines* give, bit for "
       "bit: the 10,000th number of an `mt19937` is the same everywhere.");
  std::mt19937 standard;
  standard.discard(9999);
  assert(standard() == 4123659995);
  text("PyTorch's generator on the CPU is the same algorithm, and so is ours:");
  Generator ours;
  ours.manual_seed(5489);
  std::mt19937 theirs(5489);
  assert(ours.random() == theirs());
  callout(Callout::warning,
          "The *distributions* of the standard library are not fixed. "
          "`std::normal_distribution` makes other numbers of the same engine with "
          "another compiler's library. That is why tensors here have generators and "
          "distributions of their own, which are PyTorch's.",
          "Only half of it is portable");
  generator_per_use();
  manual_seed(seed);
  text("From here on, what is drawn without a generator of its own is what PyTorch "
       "draws after `torch.manual_seed(0)`, on the CPU, to the bit. That lets us "
       "compare.");
}

void generator_per_use() {
  text("### A generator for each use");
  text("One seed makes a program repeatable. It does not make its parts independent. "
       "Say that a generator chooses which examples come next:");
  Generator shared;
  shared.manual_seed(7);
  const Tensor examples = randint(100, {4}, {}, &shared);  // @inspect examples
  text(
      "Now somebody switches dropout on, and it draws from the same one. All that is "
      "drawn later is changed, though nobody touched the data:");
  shared.manual_seed(7);
  const Tensor dropped = rand({1}, {}, &shared) < 0.1;
  const Tensor other_examples =
      randint(100, {4}, {}, &shared);  // @inspect other_examples
  assert(!other_examples.equal(examples));
  text("So each use gets a generator of its own. Then one can vary the "
       "initialisation while the data stay, and the other way round.");
  Generator for_data, for_dropout;
  for_data.manual_seed(7);
  for_dropout.manual_seed(8);
  const Tensor also_dropped = rand({1}, {}, &for_dropout) < 0.1;
  const Tensor same_examples =
      randint(100, {4}, {}, &for_data);  // @inspect same_examples
  assert(same_examples.equal(examples));
  text("Two more things differ between runs even so: an order of summation that "
       "depends on the number of threads, and, on a GPU, operations that add in the "
       "order in which their threads happen to come. Both change last digits.");
}
