// Lecture 5: architecture. What each part of a Transformer costs, and what it buys.

#include "lecture_05_architecture/parts.h"

void overview() {
  text(R"(
    **A model of 70 billion parameters has read 131,072 tokens and is about to write the next one. How much does it have
    to keep of each?** 327,680 bytes: 43 GB in all. Had its authors left one number as it was in the first Transformer,
    it would be 344 GB, more than twice the size of the model.)");
  text(R"(
    Lecture 3 took the Transformer as given. This one takes it apart. Where the norms stand and what they compute,
    biases, gates, positions, heads, experts: each is a choice that somebody made, and most of today's models make the
    same ones. Of each we ask two questions:)");
  text(R"(
    - **What does it cost?** In parameters, operations and memory, which follow from a formula. The program counts, and
      asserts that the formula is right.
    - **What does it buy?** No formula tells that. We train a small model with each choice and several seeds, and say
      which differences are larger than those between seeds, and which are not.)");
  text(R"(
    After this lecture you can derive what a model costs from the sizes that its paper gives (*mechanics*); you compare
    a reported improvement with the spread between seeds (*mindset*); and you know which choices decide about memory,
    which about whether training works at all, and which show in neither (*intuition*). You need lectures 2 and 3: how
    operations are counted, and how a model is trained.)");
  note("All models here are small enough for a CPU, and run on it even where there is a GPU.");
}

void takeaways() {
  text("## What to take away");
  text(R"(
    - With pre-norm the residual stream is a plain sum, through which every state reaches the end undiminished. With
      post-norm an untrained block halves what it passes on.
    - RMSNorm is LayerNorm without the mean: half the operations, the same bytes. A bias of the keys does nothing,
      unless keys are turned.
    - Gated networks have three matrices. With a hidden width of $\frac{8}{3} d$ in place of $4 d$ they have as many
      parameters as others.
    - Rotary positions turn queries and keys, so that scores depend on distances. They have no parameters.
    - A token leaves $2 L g k$ numbers in the cache, or $L (r + k_R)$ with latent attention. The number and the width of
      the heads of keys and values decide how long a text can be, and how many fit.
    - A mixture of experts needs the memory of all experts and the operations of the chosen ones, and a loss that keeps
      the experts balanced.
    - One matrix for both ends saves $V d$ parameters and no operation. One learning rate for all rows is a rate for the
      frequent ones.
    - Count first, then train with several seeds. A difference no larger than that between seeds shows nothing.)");
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
