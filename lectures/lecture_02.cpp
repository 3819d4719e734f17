// Lecture 2: primitives and resource accounting. From tensors up, counting every byte
// and every operation.

#include <lectern/lecture.h>

#include "lecture_02/parts.h"

using namespace lectern;

void overview();

int main() {
  lecture({.title = "Primitives and resource accounting",
           .date = "2026-11-21",
           .authors = {"The Lectern authors"},
           .tags = {"tensors", "memory", "FLOPs", "hardware"},
           .description =
               "What training is made of, from the bottom: tensors, where their "
               "bytes lie, what operations on them cost, and what a training step "
               "does with them."});
  overview();
  napkin();
  tensors();
  tensors_on_gpus();
  tensor_operations();
  tensor_einops();
  operations_flops();
  gradients();
  models();
  randomness();
  data_loading();
  optimizers();
  train_loop();
  checkpointing();
  mixed_precision_training();
  takeaways();
}

void overview() {
  text("The first lecture turned text into integers. This one looks at what is done "
       "with numbers: the **primitives** of training, from tensors upwards, and what "
       "each of them costs.");
  text("Two resources are counted all along:\n"
       "- **memory**, in bytes: what has to be held, and where;\n"
       "- **compute**, in floating-point operations (FLOPs): what has to be done.");
  text("The habit matters more than any single number. With it, one can say before a "
       "training run begins whether it will fit, how long it will take, and where "
       "its time goes. The order of topics follows the second lecture of CS336."),
      link({.title = "CS336: Language Modeling from Scratch",
            .organization = "Stanford University",
            .url = "https://cs336.stanford.edu"});
  text("From tensors the way leads over operations and gradients to a model, its "
       "data, an optimizer, and the loop in which they meet.");
  note("Everything here runs without a GPU. With one, the part on GPUs measures it.");
}
