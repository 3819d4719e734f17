// Lecture 3, what to take away.

#include "parts.h"

void takeaways() {
  text("## What to take away");
  text(R"(
    - Parameters, gradients and AdamW's state take 16 bytes for each parameter in float32. Activations take $4 n (16 d
      L + V)$, whatever the parameters, and can be more.
    - Accumulation trades nothing but speed for memory, checkpointing a third more operations. Both leave the gradient
      as it is.
    - Products can be counted exactly before the first step. What they take in time is to be measured.
    - An untrained model has a loss of $\ln V$. A model that knows frequencies only has their entropy. Know both
      numbers of your data.
    - A checkpoint is good when the resumed run is equal to the last bit.
    - Try learning rates until one fails.
    - The expensive mistakes let the loss fall. So assert what must be true.)");
}
