// Lecture 5, how a token knows where it stands.

#include "training.h"

namespace {

void turning(), by_distance(), what_came_three_before();

}  // namespace

void positions() {
  text("## Positions");
  text(R"(
    Attention is a sum over a set: it does not know in which order the keys came. GPT-2 adds a learned vector to each
    token, one for each place: $T d$ parameters, and no places beyond $T$. **Rotary positions** have no parameters, and
    make scores depend on distances.)"),
      link(works::rotary);
  turning();
  by_distance();
  what_came_three_before();
}

namespace {

void turning() {
  text("### Turning pairs");
  text(R"(
    Take the features of a query or a key in pairs, and turn pair $i = 0, 1, \dots$ of the token at position $m$ by
    the angle $m \theta_i$, with $\theta_i = 10000^{-2i/k}$ for a head of $k$ features. With $R_m$ for all these
    rotations, a score is

    $$(R_m q)^\top (R_n k) = q^\top R_m^\top R_n k = q^\top R_{n-m}\, k,$$

    since turning back by $m$ and forward by $n$ is turning by $n - m$. The positions drop out, and their distance
    remains.)");
  const Tensor angles = rotary_table(128, 12);  // cosines and sines
  manual_seed(0);
  const Tensor q = randn({1, 1, 1, 12}), k = randn({1, 1, 1, 12});  // [batch, time, heads, features]
  const auto score = [&](int64_t m, int64_t n) { return (turned(q, angles, m) * turned(k, angles, n)).sum(); };
  const Tensor near = score(7, 4), far = score(107, 104), other = score(7, 3);  // @stepover @inspect near far other
  assert(near.allclose(far, 1e-3, 1e-4));
  assert(!near.allclose(other, 1e-2, 1e-2));
  text("Equal distances give equal scores, other distances others. No vector becomes longer or shorter:");
  assert(turned(q, angles, 100).norm().allclose(q.norm(), 1e-4, 1e-4));  // @stepover
  assert(turned(q, angles, 0).equal(q));                                 // @stepover
  text(R"(
    It costs 3 operations for each feature of the queries and keys, $6 d$ for each token and layer beside some $24 d^2$,
    and no memory of its own but the table.)");
  callout(Callout::warning, R"(
    Which features form a pair is a convention, and there are two: neighbours, as in the paper, in Llama's code and
    here, or features $i$ and $i + k/2$, as in GPT-NeoX and Hugging Face's Transformers. A model trained with one
    gives nonsense with the other, unless the rows of its query and key matrices are permuted.)",
          "Two conventions");
}

void by_distance() {
  text("### Fast pairs and slow ones");
  text(R"(
    The first pair turns by 1 radian for each token, once around in $2 \pi$ tokens; the last pair of a head of 64
    features takes some 47,000. Fast pairs tell neighbours apart, slow ones pages. For a query and a key of ones the
    score at distance $m$ is $2 \sum_i \cos(m \theta_i)$:)");
  const int64_t features = 64;
  const Tensor ones_everywhere = ones({1, 256, 1, features});
  const Tensor keys = rotary_embedding(ones_everywhere, rotary_table(256, features));
  const Tensor scores = keys.view({256, features}).sum({1}) / features;
  // @tol abs=1e-3 *
  line_plot(scores,
            {.x = "distance, in tokens",
             .y = "score",
             .alt = "The score falls from 1 to about 0.65 within ten tokens, then more slowly and in waves, to between "
                    "0.15 and 0.5 at distances above 200.",
             .caption = "The score of two equal vectors, against their distance; divided by that at distance 0.",
             .height = 160});
  const double slowest = 2 * M_PI * std::pow(10'000., 62. / 64);  // @inspect slowest
  assert(std::lround(slowest / 1000) == 47);
  const double at_no_distance = scores[0].item(), at_200 = scores[200].item();  // @stepover
  assert(std::abs(at_no_distance - 1) < 1e-5 && at_200 < 0.5);
  text(R"(
    So even equal vectors score less from far away, if not steadily. For long texts the slow pairs have to be slower:
    Llama 3 has a base of 500,000 in place of 10,000.)"),
      link(works::llama3);
  exercise("In how many tokens does the slowest pair of a head of 128 features turn once, with a base of 500,000?", R"(
    In $2 \pi \cdot 500000^{126/128}$, some 2.56 million. With a base of 10,000 it would be 54,000, less than the
    128,000 tokens of Llama 3's context.)");
  const double with_llama3 = 2 * M_PI * std::pow(500'000., 126. / 128);  // @inspect with_llama3
  const double with_10000 = 2 * M_PI * std::pow(10'000., 126. / 128);    // @inspect with_10000
  assert(std::lround(with_llama3 / 1e4) == 256 && std::lround(with_10000 / 1e3) == 54);
  exercise(R"(
    Write the rotation yourself, for one vector at one position, and check that scores depend on the distance only.)",
           {.answer = R"(
    With $a = x_{2i}$, $b = x_{2i+1}$ and $\alpha = m \theta_i$, pair $i$ becomes $a \cos\alpha - b \sin\alpha$ and
    $a \sin\alpha + b \cos\alpha$.)",
            .starter = "rotary"});
}

// What the model has to say at each place: the token three places before.
Tensor loss_of_looking_back(const Transformer& model, int64_t length, Generator& generator) {
  const int64_t back = 3;
  const Tensor input = randint(model.choices.vocabulary, {16, length}, {}, &generator);
  const Tensor logits = model(input).narrow(1, back, length - back);
  return cross_entropy(logits.flatten(0, 1), input.narrow(1, 0, length - back).flatten());
}

struct LookingBack {
  std::vector<double> losses;
  double after = 0;      // the loss of new sequences
  double of_longer = 0;  // and of sequences of twice the length, where the model has places for them
};

// @stepover
LookingBack trained_to_look_back(Positions positions, std::uint64_t seed) {
  const Transformer model = seeded({.vocabulary = 16, .positions = positions}, seed);
  Generator generator = Generator().manual_seed(seed);
  LookingBack run;
  run.losses = descend(model, {.steps = 100}, [&] { return loss_of_looking_back(model, 32, generator); });
  const NoGradGuard no_grad;
  run.after = loss_of_looking_back(model, 32, generator).item();
  if (positions != Positions::learned) run.of_longer = loss_of_looking_back(model, 64, generator).item();
  return run;
}

void what_came_three_before() {
  text("### What came three before?");
  text(R"(
    A task that is only about order: random tokens of 16 kinds, and at each place the model has to say which one came
    three places before. Guessing gives a loss of $\ln 16$ = {:.2f}.)",
       std::log(16));
  link(loss_of_looking_back);
  std::vector<PlotSeries> curves;
  std::vector<TableRow> rows;
  std::vector<double> worst;  // loss of the kinds of positions
  double longer = 0;
  const std::vector<std::pair<std::string, Positions>> kinds = {
      {"none", Positions::none}, {"learned", Positions::learned}, {"rotary", Positions::rotary}};
  for (const auto& [name, kind] : kinds) {  // @stepover
    const LookingBack one = trained_to_look_back(kind, 0), other = trained_to_look_back(kind, 1);
    curves.emplace_back(name, one.losses);
    worst.push_back(std::max(one.after, other.after));
    if (kind == Positions::rotary) longer = std::max(one.of_longer, other.of_longer);
    rows.push_back({name, fmt::format("{:.2f}", one.after), fmt::format("{:.2f}", other.after),
                    kind == Positions::learned ? "no such place" : fmt::format("{:.2f}", one.of_longer)});
  }
  // @tol abs=0.3 *
  line_plot(curves,
            {.x = "step",
             .y = "loss",
             .legend = "positions",
             .y_min = 0,
             .alt = "Three curves over 100 steps. With learned and with rotary positions the loss goes from 2.8 to "
                    "nearly 0; without positions it falls only to about 2.2.",
             .caption = "The token three places before, by the kind of positions; the first seed."});
  // @tol abs=0.3 *
  table({"Positions", "Loss, seed 0", "seed 1", "Twice the length, seed 0"}, rows);
  assert(worst[0] > 1.5);                    // @tol abs=0.3 *
  assert(worst[1] < 0.5 && worst[2] < 0.5);  // @tol abs=0.3 *
  assert(longer < 1);                        // @tol abs=0.5 *
  text(R"(
    Without positions the loss stays far above the others': the model can say which tokens came, but not when. The
    causal mask does tell it something, since the first token sees one key and the last sees all, and larger models
    without positions learn to use that; this one has not, in a hundred steps.)"),
      link(works::no_positions);
  text(R"(
    Learned and rotary positions both solve it. They differ beyond the length of the training: there no places were
    learned, and the model refuses.)");
  const Transformer learned = seeded({.vocabulary = 16}, 0);  // @stepover
  const std::string refused = error_of([&] {
    (void)learned(zeros({1, 33}, {.dtype = int64}));
  });  // @stepover @inspect refused
  assert(!refused.empty());
  text(R"(
    That rotary positions still work at twice the length is due to the task, which has one distance. Texts have all of
    them, and models of texts get worse beyond the length of their training with rotary positions, too. So they are
    trained further on long texts, with a larger base.)"),
      link(works::llama3);
}

}  // namespace
