// Lecture 7: parallelism. One model trained by four processes in each way there is, and what these send each other.

#include "lecture_07_parallelism/parts.h"

int main() {
  lecture({.title = "Parallelism",
           .date = "2026-11-28",
           .authors = {"The Lectern authors"},
           .tags = {"parallelism", "collectives", "ZeRO", "memory", "pipelines"},
           .description =
               "Four processes train one model: its batch divided, its state, its matrices, its layers. What "
               "each division sends is counted beside its formula, and what breaks is broken.",
           .series = "Training language models",
           .order = 7,
           .goals = {"say what each collective moves, and write the two classical ways to sum over all ranks",
                     "derive memory and traffic of each division of a model, and check both to the byte",
                     "choose a division for a model and a machine, and tell from its symptom what has broken"},
           .prerequisites = {"lecture_02", "lecture_04_accounting", "the chain rule for products of matrices"},
           .processes = 4});
  the_question();
  collectives();
  rings_and_trees();
  the_model();
  data_parallel();
  sharded_state();
  divided_matrices();
  divided_layers();
  communication_beside_computation();
  other_numbers_of_ranks();
  what_breaks();
  which_when();
}
