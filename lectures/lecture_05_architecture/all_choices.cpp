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

void how_many_seeds() {
  callout(Callout::note, R"(
    The error of a mean falls with the root of the number of seeds. To tell a difference of 0.01 from none where the
    standard deviation between seeds is 0.05, the difference of two means has to be known to half of it, 0.005. Its
    standard error is $0.05 \sqrt{2/n}$ with $n$ seeds of each: it takes 200. Longer runs of larger models usually
    differ less between seeds, which is why choices are compared there.)",
          "How many seeds?");
}

}  // namespace

void all_choices() {
  text("## All of them, trained");
  text(R"(
    What each choice costs is known to the last operation. What it buys can only be measured. Here each is trained
    on the text of the King James Bible, a token for each character, with three seeds for weights and batches; the
    batches of a seed are the same for every choice. What is reported is the loss on the New Testament, which no
    model was trained on.)");
  link(train), link(runs_of);
  const Recipe recipe;                                       // @inspect recipe
  const std::vector<Variant> variants = trained_variants();  // @stepover
  std::vector<TableRow> rows;
  for (const auto& [name, choices, runs] : variants) {  // @stepover
    rows.push_back({name, parameters_of(choices), 4 * cached_numbers_of(choices), fmt::format("{:.2f}", runs.mean()),
                    fmt::format("{:.2f}–{:.2f}", runs.lowest(), runs.highest())});
  }
  // @tol abs=0.15 *
  table({"Choice", "Parameters", "Cache, bytes per token", "Loss, mean", "lowest–highest"}, rows,
        {.caption = "Held-out loss in nats for each character, of three seeds."});
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
       .alt = "Three curves of the loss over 80 steps, means of three seeds. All fall steeply to about 3. From there "
              "those of rotary and of no positions stay together, rotary a little lower at the end; that of learned "
              "positions lies above both.",
       .caption = "The same model with three kinds of positions."});
  text("What can be said of that?");
  text(R"(
    - **Rotary positions are better than learned ones**, by more than seeds differ. Here even having none is better than
      learned ones: a table of places is one more thing to learn, and eighty steps are few.
    - **Post-norm lags**, already with two blocks.
    - Two matrices at the ends seem better than one, for a tenth more parameters; but the best seed with one is about as
      good as the worst with two.)");
  assert(rotary.mean() + 0.1 < gpt2.mean());               // @tol abs=0.15 *
  assert(none.mean() + 0.05 < gpt2.mean());                // @tol abs=0.15 *
  assert(named("post-norm").mean() > gpt2.mean() + 0.05);  // @stepover @tol abs=0.15 *
  text(R"(
    - **All other differences are about as large as those between seeds, or smaller.** RMSNorm, no biases, gates,
      experts, shared heads, latent vectors: from three runs of this size nobody can tell whether they help or harm.
      With one seed of each we would have reported noise.
    - Where the loss does not tell, the cost decides: RMSNorm halves the operations of the norms; two heads of keys and
      values halve the cache.
    - Large models are compared at sizes at which a hundredth of a nat can be told from noise. A small model shows
      what a choice costs, and whether it breaks; not what it will buy.)");
  const Runs& rms = named("RMSNorm");
  const double apart = std::abs(rms.mean() - gpt2.mean()), spread = gpt2.highest() - gpt2.lowest();
  assert(apart < spread + 0.05);  // @tol abs=0.1 *
  how_many_seeds();
}
