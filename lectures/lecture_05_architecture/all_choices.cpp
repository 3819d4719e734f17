// Lecture 5, all choices trained.

#include "training.h"

namespace {

struct Variant {
  std::string name;
  Choices choices;
  Runs runs;
};

// @stepover
std::vector<Variant> trained_variants() {
  std::vector<Variant> all = {{"GPT-2's choices", {}, {}},
                              {"post-norm", {.post_norm = true}, {}},
                              {"RMSNorm", {.rms = true}, {}},
                              {"no biases", {.biases = false}, {}},
                              {"no biases, gated", {.hidden = 128, .biases = false, .gated = true}, {}},
                              {"two matrices at the ends", {.tied = false}, {}},
                              {"4 experts, 1 chosen", {.experts = 4}, {}},
                              {"no positions", {.positions = Positions::none}, {}},
                              {"rotary", {.positions = Positions::rotary}, {}},
                              {"rotary, grouped-query", {.kv_heads = 2, .positions = Positions::rotary}, {}},
                              {"rotary, latent", {.latent = 24, .positions = Positions::rotary}, {}}};
  for (Variant& variant : all) variant.runs = runs_of(variant.choices, 3);
  return all;
}

}  // namespace

void all_choices() {
  text("## All of them, trained");
  text(R"(
    What each choice costs is known to the last operation. What it buys can only be measured. Here is each of them on the
    text of the King James Bible, letter by letter, with three seeds: the same three series of batches for each
    choice, and other weights. What is reported is the loss on the New Testament, which none has seen.)");
  link(train), link(runs_of);
  const Recipe recipe;                                       // @inspect recipe
  const std::vector<Variant> variants = trained_variants();  // @stepover
  std::vector<TableRow> rows;
  for (const auto& [name, choices, runs] : variants) {  // @stepover
    rows.push_back({name, parameters_of(choices), 4 * cached_numbers_of(choices), fmt::format("{:.2f}", runs.mean()),
                    fmt::format("{:.2f}–{:.2f}", runs.lowest(), runs.highest())});
  }
  // @tol abs=0.15 *
  table({"Choice", "Parameters", "Cache, bytes a token", "Loss", "of three seeds"}, rows,
        {.caption = "Held-out loss in nats for each letter: the mean, the lowest and the highest of three seeds."});
  const auto named = [&](const std::string& name) -> const Runs& {  // @stepover
    return std::ranges::find(variants, name, &Variant::name)->runs;
  };
  const Runs& gpt2 = named("GPT-2's choices");
  const Runs& rotary = named("rotary");
  const Runs& none = named("no positions");
  // @tol abs=0.15 *
  line_plot(
      {mean_curve("learned", gpt2), mean_curve("none", none), mean_curve("rotary", rotary)},
      {.x = "step",
       .y = "loss",
       .legend = "positions",
       .y_min = 2.2,
       .y_max = 4,
       .alt = "Three curves of the loss over 80 steps, means of three seeds. All fall steeply to about 3; from there "
              "rotary positions are the lowest, learned ones the highest.",
       .caption = "The same model with three kinds of positions."});
  text("What can be said of that?");
  text(R"(
    - **Rotary positions are better than learned ones**, by more than seeds differ. Even none at all are better than
      learned ones here: a table of places is one more thing to learn, and eighty steps are few.
    - **Post-norm lags**, with two blocks already.
    - Two matrices at the ends are a little better than one, at the price of a tenth more parameters.)");
  assert(rotary.mean() + 0.1 < gpt2.mean());               // @tol abs=0.15 *
  assert(none.mean() + 0.05 < gpt2.mean());                // @tol abs=0.15 *
  assert(named("post-norm").mean() > gpt2.mean() + 0.05);  // @stepover @tol abs=0.15 *
  text(R"(
    - **All other differences are about as large as those between seeds.** RMSNorm, no biases, gates, experts, shared
      heads, latent vectors: from three runs of this size nobody could tell that they help, or that they harm. Who reports one
      seed of each reports noise.
    - That is an argument *for* them: what cannot be told from the others in the loss can be chosen by its cost. RMSNorm
      halves the operations of the norms; two heads of keys and values halve the cache.
    - What large models have in common was found at sizes at which a hundredth of a nat can be told from noise. A
      small model shows what a choice costs, and whether it breaks; not what it will buy.)");
  const Runs& rms = named("RMSNorm");
  const double apart = std::abs(rms.mean() - gpt2.mean()), spread = gpt2.highest() - gpt2.lowest();
  assert(apart < spread + 0.05);  // @tol abs=0.1 *
  callout(Callout::note, R"(
    How many seeds would it take? The error of a mean falls with the root of their number. To tell 0.01 apart where the
    standard deviation between seeds is 0.05, the difference of two means has to be known to half of that, 0.005. Its
    error is $0.05 \sqrt{2/n}$ with $n$ seeds of each: it takes 200. Longer runs of larger models differ less between
    seeds, which is why one looks there.)",
          "How many seeds?");
}
