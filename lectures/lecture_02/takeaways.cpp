// Lecture 2, what to take away.

#include <lectern/lecture.h>

#include "parts.h"

using namespace lectern;

void takeaways() {
  text("## What to take away");
  text(
      "- A tensor is a storage and a description. Memory is the number of elements "
      "times their size; what shares a storage shares its bytes.\n"
      "- float32 is the safe choice, bfloat16 the usual one, and each bit has a "
      "place where it is missed.\n"
      "- Views are free, copies are not, and `reshape` can be either.\n"
      "- Names of dimensions, in types and in operations, cost nothing and save the "
      "mistakes that shapes let pass.\n"
      "- Products dominate: $2 m n p$ operations for $m \\times n$ by $n \\times p$. "
      "How long that takes depends on the machine and on the number format; MFU says "
      "how much of the machine was used.\n"
      "- Forward 2, backward 4, together 6 operations for each parameter and data "
      "point; a little less where the input needs no gradient.\n"
      "- A model is tensors with names. They begin with random numbers, divided by "
      "the root of the number of inputs.\n"
      "- A seed for each use of randomness; and a checkpoint holds the model, the "
      "optimizer and the generators, or the run that goes on is another one.\n"
      "- Training holds parameters, gradients, the optimizer's state and "
      "activations. "
      "The first three follow from the number of parameters, 16 bytes for each with "
      "AdamW; the last grows with the batch, and is often the largest.\n"
      "- Fewer bits make products faster and activations smaller. They do not make "
      "the state smaller, as long as a float32 copy is kept.\n"
      "- A napkin answers how long and how large, if one knows which peak is meant "
      "and what was left out.");
}
