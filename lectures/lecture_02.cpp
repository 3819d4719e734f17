// Lecture 2: primitives and resource accounting. From tensors up, counting every byte and every operation.

#include "lecture_02/parts.h"

void overview() {
  text(R"(
    The first lecture turned text into integers. This one looks at what is done with numbers: the
    **primitives** of training, from tensors upwards, and what each of them costs.)");
  text(R"(
    Two resources are counted all along:
    - **memory**, in bytes: what has to be held, and where;
    - **compute**, in floating-point operations (FLOPs): what has to be done.)");
  text(R"(
    The habit matters more than any single number. With it, one can say before a training run begins whether it will
    fit, how long it will take, and where its time goes. The order of topics follows the second lecture of CS336.)"),
      link(works::cs336);
  text("From tensors the way leads over operations and gradients to a model, data, and the training loop.");
  note("Everything here runs without a GPU. With one, the part on GPUs measures it.");
}

void further_reading() {
  text("## Where to read on");
  text(R"(
    The models of this lecture are matrices in a row. The first Transformer of this course is that of lecture 3, which
    takes for granted what it is. These explain it: the paper, in pictures, in equations, and as pseudocode that leaves
    nothing out.)"),
      link(works::attention_is_all_you_need), link(works::illustrated_transformer), link(works::illustrated_gpt2),
      link(works::transformer_in_equations), link(works::formal_algorithms);
  text(R"(
    And two that go on where this lecture ends: the state of a training run divided among many GPUs, and FP8 for more
    than the products, for gradients and the optimizer's state, too.)"),
      link(works::zero), link(works::fp8_lm);
  text(R"(
    Most links of the second lecture of CS336 stand here, or where their subject is treated. Three do not: the handout
    of the first assignment belongs to that course, what is rumoured of GPT-4 has no source to cite, and for a note on
    pinned memory stands NVIDIA's article, which measures what it says.)");
}

void takeaways() {
  text("## What to take away");
  text(R"(
    - A tensor is a storage and a description. Memory is the number of elements times their size; what shares a
      storage shares its bytes.
    - float32 is the safe choice, bfloat16 the usual one, and each bit has a place where it is missed.
    - Views are free, copies are not, and `reshape` can be either.
    - Names of dimensions, in types and in operations, cost nothing and save the mistakes that shapes let pass.
    - Products dominate: $2 m n p$ operations for $m \times n$ by $n \times p$. How long that takes depends on the
      machine and on the number format; MFU says how much of the machine was used.
    - Forward 2, backward 4, together 6 operations for each parameter and data point; a little less where the input
      needs no gradient.
    - A model is tensors with names. They begin with random numbers, divided by the root of the number of inputs.
    - A seed for each use of randomness; and a checkpoint holds the model, the optimizer and the generators, or the
      run that goes on is another one.
    - Training holds parameters, gradients, the optimizer's state and activations. The first three follow from the
      number of parameters, 16 bytes for each with AdamW; the last grows with the batch, and is often the largest.
    - Fewer bits make products faster and activations smaller. They do not make the state smaller, as long as a
      float32 copy is kept.
    - A napkin answers how long and how large, if one knows which peak is meant and what was left out.)");
}

int main() {
  lecture({.title = "Primitives and resource accounting",
           .date = "2026-11-21",
           .authors = {"The Lectern authors"},
           .tags = {"tensors", "memory", "FLOPs", "hardware"},
           .description = "What training is made of, from the bottom: tensors, where their bytes lie, what operations "
                          "on them cost, and what a training step does with them.",
           .series = "Training language models",
           .order = 2,
           .goals = {"mechanics: say of a tensor where its bytes lie, and of an operation what it computes and moves",
                     "mindset: work out memory and time before a run begins, then measure",
                     "intuition: know which operations take the time, and which tensors take the memory"},
           .prerequisites = {"lecture_01_tokenization", "products of matrices",
                             "gradients of functions of several variables"}});
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
  further_reading();
  takeaways();
}
