// Lecture 3, the loop.

#include "../shared/seconds_of.h"
#include "../shared/with_commas.h"
#include "run.h"

void the_loop(), a_whole_run();

void the_training() {
  text("## Training");
  the_loop();
  a_whole_run();
}

void the_loop() {
  text("### One step");
  text("A step is short. Each line of it stands for something that went wrong without it.");
  text(R"(
    - **Warm-up.** AdamW divides by an average of squares that knows little in the first steps. So the learning rate
      begins at almost nothing, rises in a straight line, and then falls along a cosine to a tenth.
    - **Accumulation.** Two batches for each step; each loss is divided by two.
    - **Autocast.** Products in bfloat16. It ends before `backward`, which computes in the formats that the forward
      pass chose.
    - **Clipping.** One batch with a huge gradient would undo much. If the gradient of all parameters together is
      longer than 1, it is shortened to 1.
    - **Weight decay** for matrices only. Norms and biases are left alone.)");
  const Recipe recipe;             // @inspect recipe
  Run run(ModelSize{}, recipe);    // @stepover
  const double loss = run.step();  // @inspect loss @tol rel=1e-3 loss
  assert(std::abs(loss - std::log(kVocabulary)) < 0.1);
  text(R"(
    The first step changes nothing, its learning rate is 0. The rates of all steps, as a formula that knows the step
    alone:)");
  const optim::Schedule schedule = optim::linear_warmup_cosine(
      {.warmup_steps = recipe.warmup, .total_steps = recipe.steps, .min_lr = recipe.learning_rate / 10});
  std::vector<double> rates;
  // @stepover
  for (int64_t step = 0; step <= recipe.steps; step += 8) rates.push_back(schedule(step, recipe.learning_rate));
  line_plot(arange(0, recipe.steps + 1, 8), rates,
            {.x = "step",
             .y = "learning rate",
             .alt = "The learning rate rises from 0 in a straight line for 32 steps, and falls along half a cosine to "
                    "a tenth of its largest value at step 320.",
             .caption = "Warm-up and cosine.",
             .height = 140});
  assert(schedule(recipe.warmup, recipe.learning_rate) == recipe.learning_rate);
}

// Matrices are to decay, all else is not.
std::vector<optim::ParamGroup> groups_of(const Gpt& model, double weight_decay) {
  optim::ParamGroup matrices{{}, {{"weight_decay", weight_decay}}};
  optim::ParamGroup others{{}, {{"weight_decay", 0.}}};
  for (const Tensor& parameter : model.parameters()) {
    (parameter.dim() == 2 ? matrices : others).params.push_back(parameter);
  }
  return {matrices, others};
}

Gpt seeded(const ModelSize& size, std::uint64_t seed) {
  manual_seed(seed);
  return Gpt(size);
}

Run::Run(const ModelSize& size, const Recipe& recipe, std::uint64_t seed)
    : model(seeded(size, seed)),
      recipe_(recipe),
      batches_(training_tokens(), recipe.batch, size.context, seed),
      optimizer_(groups_of(model, recipe.weight_decay), {.lr = recipe.learning_rate, .betas = {0.9, 0.95}}),
      schedule_(optimizer_,
                {.warmup_steps = recipe.warmup, .total_steps = recipe.steps, .min_lr = recipe.learning_rate / 10}) {}

double Run::step() {
  if (!recipe_.forgets_zero_grad) optimizer_.zero_grad();
  double sum = 0;
  for (int64_t i = 0; i < recipe_.accumulate; ++i) {
    const std::vector<Tensor> batch = batches_.next();  // inputs and targets
    const Tensor inputs = batch[0].to(kDevice, /*non_blocking=*/true);
    const Tensor targets = batch[1].to(kDevice, /*non_blocking=*/true);
    Tensor loss;
    {
      const AutocastGuard autocast(kDevice, bfloat16, recipe_.autocast);
      loss = loss_of(model, inputs, targets);  // @stepover
    }
    (loss / static_cast<double>(recipe_.accumulate)).backward();
    sum += loss.item<double>();  // @inspect sum @tol rel=1e-3 sum
  }
  const Tensor norm = nn::utils::clip_grad_norm_(model.parameters(), recipe_.clip);
  gradient_norm = norm.item();                     // @inspect gradient_norm @tol rel=1e-2 gradient_norm
  const double rate = schedule_.get_last_lr()[0];  // @inspect rate
  optimizer_.step();
  schedule_.step();
  return sum / static_cast<double>(recipe_.accumulate);
}

std::vector<double> Run::steps(int64_t count) {
  std::vector<double> losses;
  for (int64_t i = 0; i < count; ++i) losses.push_back(step());
  return losses;
}

void a_whole_run() {
  text("### A run");
  const Recipe recipe;
  Run run(ModelSize{}, recipe);  // @stepover
  const std::string prompt = "And God said";
  text(R"(
    This is what the model writes after *{}* before it has learned anything. Its tokens are as good as any, for all it
    knows:)",
       prompt);
  const std::string before = continued(run.model, prompt, 60);  // @stepover @volatile
  verbatim(before);                                             // @volatile
  run.model.eval();
  // @stepover @inspect held_out_before @tol rel=1e-3 held_out_before
  const double held_out_before = held_out_loss(run.model);
  run.model.train();
  const int64_t tokens = recipe.accumulate * recipe.batch * ModelSize{}.context;
  text("Now {} steps, of {} tokens each:", recipe.steps, with_commas(tokens));
  std::vector<double> losses;
  const double seconds = seconds_of([&] { losses = run.steps(recipe.steps); });  // @stepover @inspect seconds @volatile
  run.model.eval();
  const double held_out = held_out_loss(run.model);  // @stepover @inspect held_out @tol rel=2e-2 held_out
  assert(held_out < held_out_before - 2);            // @tol rel=2e-2 *
  // @tol rel=5e-2 *
  line_plot(
      {loss_curve("training", losses)},
      {.x = "step",
       .y = "loss",
       .y_min = 3.5,
       .y_max = 6.5,
       .alt = "The loss of each step. It begins at 6.2, falls steeply during the first forty steps, and then ever more "
              "slowly, to below 4.",
       .caption =
           "The loss of the training batches, each point the mean of four steps. The jitter is that of the batches."});
  // @tol rel=2e-2 *
  text("On the New Testament, which it has never seen, the loss went from {:.2f} to {:.2f}.", held_out_before,
       held_out);
  text("And what does it write now?");
  const std::string after = continued(run.model, prompt, 60);  // @stepover @volatile
  verbatim(after);                                             // @volatile
  text(R"(
    Words, mostly, and the sound of the book; no sense. That is what a model of this size learns in some seconds.
    Nothing in the loop changes when both grow by a factor of a million, but for what this lecture has left out: many
    GPUs.)");
}

double held_out_loss(const Gpt& model) {
  const NoGradGuard no_grad;
  Generator generator = Generator().manual_seed(3);
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const auto [inputs, targets] = get_batch(held_out_tokens(), 16, 64, &generator);
    sum += loss_of(model, inputs.to(kDevice), targets.to(kDevice)).item<double>();
  }
  return sum / 4;
}

// The text in lines of at most 60 letters or so.
std::string as_lines(const std::string& text) {
  std::string lines;
  std::size_t column = 0;
  for (char byte : text) {
    if (byte != '\n' && (byte < ' ' || byte > '~')) byte = '?';  // prints nothing
    if (byte == ' ' && column > 60) byte = '\n';
    column = byte == '\n' ? 0 : column + 1;
    lines += byte;
  }
  return lines;
}

std::string continued(Gpt& model, std::string_view text, int64_t tokens) {
  const NoGradGuard no_grad;
  const bool was_training = model.is_training();
  model.eval();
  Generator generator = Generator().manual_seed(4);
  const std::vector<std::uint16_t> given = tokenizer().encode(text);
  std::vector<int64_t> all(given.begin(), given.end());
  const int64_t context = model.positions.num_embeddings();
  for (int64_t i = 0; i < tokens; ++i) {
    const auto length = static_cast<int64_t>(all.size());
    const int64_t begin = std::max<int64_t>(0, length - context);
    const std::vector<int64_t> seen(all.begin() + begin, all.end());
    const Tensor input = tensor(seen).unsqueeze(0).to(kDevice);
    const Tensor logits = model(input).select(1, -1).select(0, 0).to(cpu);
    const Tensor next = multinomial(softmax(logits / 0.8, -1), 1, false, &generator);
    all.push_back(next.item<int64_t>());
  }
  model.train(was_training);
  return as_lines(tokenizer().decode(all));
}
