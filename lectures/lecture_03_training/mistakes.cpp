// Lecture 3, how it goes wrong.

#include "run.h"

void forgotten_zero_grad(), train_and_eval();
void backward_without_scalar(), undivided_loss(), misplaced_clipping();  // gradients_gone_wrong.cpp
void impatient_clock();                                                  // clocks.cpp

void mistakes() {
  text("## Common mistakes");
  text(R"(
    The first of these stops the program, which makes it the cheapest. All others let the loss fall for a while, or
    report a number that one would like to believe.)");
  backward_without_scalar();
  forgotten_zero_grad();
  undivided_loss();
  misplaced_clipping();
  train_and_eval();
  impatient_clock();
}

void forgotten_zero_grad() {
  text("### A forgotten `zero_grad`");
  text(R"(
    `backward` *adds* to the gradients that are there. That is what makes accumulation work, and what goes wrong when
    nobody takes them away:)");
  const Tensor w = tensor({1., 2.}, {.requires_grad = true});
  (w * w).sum().backward();
  const Tensor first = w.grad().clone();  // @inspect first
  (w * w).sum().backward();
  const Tensor second = w.grad();  // @inspect second
  assert(second.equal(2 * first));
  text(R"(
    In a training loop each step then goes along a sum of gradients in which the old ones, of a model that was another
    one, outweigh the new one. Clipping keeps the sum from growing, and AdamW divides by its size. Both hide the
    mistake, and neither mends the direction:)");
  Recipe recipe{.steps = 80, .warmup = 8};
  Run good(ModelSize{}, recipe);                               // @stepover
  const std::vector<double> right = good.steps(recipe.steps);  // @stepover
  recipe.forgets_zero_grad = true;
  Run bad(ModelSize{}, recipe);                               // @stepover
  const std::vector<double> wrong = bad.steps(recipe.steps);  // @stepover
  // @tol rel=5e-2 *
  line_plot(
      {loss_curve("with zero_grad", right), loss_curve("without", wrong)},
      {.x = "step",
       .y = "loss",
       .y_min = 4,
       .y_max = 6.5,
       .alt = "Two curves of the loss over 80 steps. For ten steps they are the same. With zero_grad the loss goes on "
              "falling, to below 4.5; without it hardly falls below 5.2.",
       .caption = "The same run with and without zero_grad."});
  assert(wrong.back() > right.back() + 0.4);  // @tol rel=5e-2 *
  text(R"(
    The one without ends about where a model would be that knows how frequent tokens are, and nothing else. It is a
    curve that one can look at for a day without a suspicion: it falls, and then it is flat.)");
  text(R"(
    Whether one calls it before `backward` or after the step makes no difference, as long as it is once for each step,
    and not once for each of the batches that are accumulated.)");
}

void train_and_eval() {
  text("### `train` and `eval`");
  text(R"(
    Dropout is for learning: it sets a part of the numbers to zero, each time others. A model that is asked something
    should have all of them. Which of the two it does, it has to be told. In the mode for training, the same question
    gets two answers:)");
  ModelSize size;
  size.dropout = 0.2;
  const Recipe recipe{.steps = 160, .warmup = 16};
  Run run(size, recipe);    // @stepover
  run.steps(recipe.steps);  // @stepover
  assert(run.model.is_training());
  const double one = held_out_loss(run.model);      // @stepover @inspect one @tol rel=5e-2 one
  const double another = held_out_loss(run.model);  // @stepover @inspect another @tol rel=5e-2 another
  assert(one != another);                           // @tol rel=5e-2 *
  run.model.eval();
  const double meant = held_out_loss(run.model);  // @stepover @inspect meant @tol rel=5e-2 meant
  assert(held_out_loss(run.model) == meant);      // @stepover @tol rel=5e-2 *
  assert(meant < one && meant < another);         // @tol rel=5e-2 *
  text(R"(
    Forgotten before an evaluation, `eval` makes a model look worse than it is. The other way round is worse, since no
    number tells: when nobody calls `train` after the first evaluation, the rest of the run is without dropout.)");
  exercise("A colleague's training loss is 3.1 and the held-out loss 2.9, with dropout. Is the held-out text easier?",
           R"(
    Perhaps not. The training loss is measured with dropout, the held-out loss without. To compare them, measure the
    training text in the mode `eval`, too.)");
}
