// Lecture 5: architecture. What each part of a Transformer costs, and what it buys.

#include "lecture_05_architecture/parts.h"

void overview() {
  text(R"(
    **A model of 70 billion parameters has read 128,000 tokens, and is to write the next one. What does it have to keep
    of each?** 327,680 bytes: 43 GB in all. If its authors had left one number as it was in the first Transformer, it
    would be 344 GB, more than twice the model.)");
  text(R"(
    Lecture 3 took a Transformer as it was given. This one takes it apart. Where the norms stand and what they compute,
    biases, gates, positions, heads, experts: each is a choice that somebody made, and most models of today have made
    the same ones. For each we ask two questions:)");
  text(R"(
    - **What does it cost?** In parameters, operations and memory, which follow from a formula. The program counts, and
      asserts that the formula is right.
    - **What does it buy?** That no formula tells. We train a small model with each choice and several seeds, and say
      what the differences are worth, also where they are worth nothing.)");
  text(R"(
    After it you can derive what a model's shape costs from a line of its paper (*mechanics*); you ask of a reported
    improvement how much seeds differ (*mindset*); and you know which of the choices decide about memory, which about
    whether training works at all, and which hardly matter (*intuition*). What you need are lectures 2 and 3: how
    operations are counted, and how a model is trained.)");
  note("All models here are small enough for a CPU, on a machine with a GPU, too.");
}

void takeaways() {
  text("## What to take away");
  text(R"(
    - With pre-norm the residual stream is a plain sum, and depth does no harm. With post-norm each block halves what
      it passes on.
    - RMSNorm is LayerNorm without the mean: half of the operations, the same bytes. A bias of the keys does nothing,
      unless they are turned.
    - Gated networks have three matrices, and $\frac{8}{3} d$ in place of $4 d$ for the same parameters.
    - Rotary positions turn queries and keys, so that scores depend on distances. They cost no parameters.
    - A token leaves $2 L g k$ numbers in the cache, or $L (r + k_R)$ with latent attention. Number and width of the heads of
      keys and values decide how long a text can be, and how many fit.
    - A mixture of experts needs the memory of all experts and the operations of the chosen ones, and somebody who sees
      to the balance.
    - One matrix for both ends saves $V d$ parameters and no operation. One learning rate for all rows is a rate for the
      frequent ones.
    - Count first, then train with several seeds. A difference that is not larger than that between seeds is none.)");
}

int main() {
  lecture(
      {.title = "Architecture, measured",
       .date = "2026-11-28",
       .authors = {"The Lectern authors"},
       .tags = {"Transformers", "attention", "memory", "FLOPs"},
       .description = "The choices that make a Transformer: norms, biases, gates, positions, heads and their caches, "
                      "experts. What each costs, by formula and counted, and what it buys, trained with several seeds.",
       .series = "Training language models",
       .order = 5,
       .goals = {"derive the parameters, the operations and the cache of a model from its sizes",
                 "write grouped-query and latent attention, rotary positions and a router of experts from operations",
                 "say of a reported difference whether it is larger than that between seeds"},
       .prerequisites = {"lecture_02", "lecture_03_training"}});
  overview();
  the_model();
  norms();
  positions();
  heads();
  latent_attention();
  feed_forward();
  experts();
  embeddings();
  all_choices();
  takeaways();
}
