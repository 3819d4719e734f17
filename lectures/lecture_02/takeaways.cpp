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
      "- A napkin answers how long and how large, if one knows which peak is meant "
      "and what was left out.");
}
