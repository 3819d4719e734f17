// Lecture 4: accounting. The memory, the operations and the time of a training run, from first principles.

#include "lecture_04_accounting/parts.h"

int main() {
  lecture({.title = "Accounting for a training run",
           .date = "2026-11-28",
           .authors = {"The Lectern authors"},
           .tags = {"memory", "FLOPs", "optimizers", "mixed precision", "ZeRO"},
           .description = "What 32 GPUs can train in two weeks: memory, operations and time derived from the "
                          "operations themselves, and measured to the byte at a small size.",
           .series = "Training language models",
           .order = 4,
           .goals = {"mechanics: derive the bytes and the operations of any layer, and check them to the last one",
                     "mindset: ask of every plan what it holds, what it computes and what it moves, before it runs",
                     "intuition: know which of the three limits a step, and what each remedy pays with"},
           .prerequisites = {"lecture_02", "lecture_03_training", "the chain rule for products of matrices"}});
  the_question();
  memory_of_a_step();
  operations_of_a_step();
  time_of_a_step();
  mixed_precision();
  noise();
  recomputation();
  fused_attention();
  sharding();
  optimizers();
  learning_rates();
  int8_weights();
  a_worked_model();
  cheat_sheet();
}
