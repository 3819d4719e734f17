// Lecture 3: training. A small GPT, from the tokens of lecture 1 to a text of its own.

#include "lecture_03_training/parts.h"

void overview();

int main() {
  lecture({.title = "Training a small GPT",
           .date = "2026-11-22",
           .authors = {"The Lectern authors"},
           .tags = {"training", "Transformers", "memory", "FLOPs", "checkpoints"},
           .description = "A language model from scratch on the text of lecture 1: what its training costs, predicted "
                          "and measured, how it is done, and how it goes wrong.",
           .series = "Training language models",
           .order = 3,
           .goals = {"mechanics: write the loop that trains a Transformer, with all that a real one has",
                     "mindset: predict each number before the run, and assert it",
                     "intuition: know how each of the common mistakes looks while the loss still falls"},
           .prerequisites = {"lecture_01_tokenization", "lecture_02", "what a Transformer is"}});
  overview();
  the_data();
  the_model();
  the_budget();
  the_training();
  checkpoints();
  learning_rates();
  mistakes();
  takeaways();
}

void overview() {
  text(R"(
    Lecture 1 turned text into integers, lecture 2 counted what operations on tensors cost. This one puts both
    together and **trains a language model**, from an empty file of weights to a text that it writes itself.)");
  text(R"(
    It is small enough to be trained while this page was made, and has all parts of a large one: data that is mapped
    rather than read, warm-up and cosine, clipping, accumulation, mixed precision, checkpoints. Two habits go with
    it:)");
  text(R"(
    - **Predict, then measure.** What each part takes is written down as a formula first. The program asserts that it
      was right.
    - **Make the mistake once on purpose.** What a mistake looks like is best learned where one knows that it is
      there.)");
  note("With a GPU everything is larger by one constant, `kScale`.");
}
