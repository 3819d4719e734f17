// Lecture 3, mistakes that change the gradient.

#include "parts.h"

void backward_without_scalar(), undivided_loss(), misplaced_clipping();

void backward_without_scalar() {
  text("### `backward` of more than one number");
  text("A gradient is that of *one* number. Of three losses, which is meant?");
  const Tensor w = tensor({1., 2., 3.}, {.requires_grad = true});
  const Tensor losses = w * w;                                       // @inspect losses
  const std::string refusal = error_of([&] { losses.backward(); });  // @inspect refusal
  assert(!refusal.empty() && !w.grad().defined());
  text("Mostly their mean is meant. It is one number, and each loss has a third of a say in it:");
  losses.mean().backward();
  const Tensor of_the_mean = w.grad().clone();  // @inspect of_the_mean
  text(R"(
    Or each loss has a weight of its own, and `backward` is given them: it multiplies and adds. Where the vector is not
    a loss but something in the middle, these weights are the gradient that arrives there from above.)");
  w.mutable_grad() = Tensor();
  (w * w).backward(tensor({1., 0., 0.5}));
  const Tensor weighted = w.grad();  // @inspect weighted
  assert(weighted.equal(tensor({2., 0., 3.})));
}

// A model of one matrix, and examples for it.
struct Regression {
  Tensor w, x, y;
};

// @stepover
Regression regression() {
  Generator generator = Generator().manual_seed(5);
  const Tensor x = randn({64, 16}, {}, &generator);
  const Tensor target = randn({16, 1}, {}, &generator);
  return {zeros({16, 1}, {.requires_grad = true}), x, x.matmul(target)};
}

// The mean loss of `count` examples from `begin` on.  @stepover
Tensor mean_loss(const Regression& model, int64_t begin, int64_t count) {
  const Tensor x = model.x.narrow(0, begin, count), y = model.y.narrow(0, begin, count);
  return (x.matmul(model.w) - y).pow(2).mean();
}

void undivided_loss() {
  text("### Accumulated, and not divided");
  text("Four batches of 16 examples are to give the gradient of one batch of 64. The sum of their means is not it:");
  const Regression model = regression();
  mean_loss(model, 0, 64).backward();
  const Tensor at_once = model.w.grad().clone();
  const int64_t batches = 4;
  model.w.mutable_grad() = Tensor();
  for (int64_t i = 0; i < batches; ++i) mean_loss(model, 16 * i, 16).backward();  // wrong
  const double too_long = (model.w.grad().norm() / at_once.norm()).item();  // @inspect too_long @tol rel=1e-5 too_long
  assert(std::abs(too_long - 4) < 1e-4);                                    // @tol rel=1e-5 *
  model.w.mutable_grad() = Tensor();
  for (int64_t i = 0; i < batches; ++i) (mean_loss(model, 16 * i, 16) / batches).backward();  // right
  const double right = (model.w.grad().norm() / at_once.norm()).item();  // @inspect right @tol rel=1e-5 right
  assert(std::abs(right - 1) < 1e-4);                                    // @tol rel=1e-5 *
  text(R"(
    With plain gradient descent that is four times the learning rate, and somebody notices. Clipping shortens both to
    the same length, and AdamW divides by the size: the loss curve hardly changes. What changes is when clipping sets
    in, and that the learning rate must be looked for again when the number of batches does.)");
  exercise("One batch has 1,000 tokens, the other, padded, 10. Each loss is a mean over tokens, and divided by two. "
           "Is that the gradient of all 1,010?",
           R"(
    No. Each of the 10 tokens counts as much as 100 of the others. Add the losses up instead of taking their means, and
    divide by the number of tokens of all batches, which has to be known before the first `backward`.)");
}

// The length of the gradient with which a step would be made.
double clipped(const Regression& model, double max_norm) {
  nn::utils::clip_grad_norm_({model.w}, max_norm);
  return model.w.grad().norm().item();
}

void misplaced_clipping() {
  text("### Clipping in the wrong place");
  text("A gradient is clipped when it is complete: after the last `backward`, before the step. In this order:");
  const Regression model = regression();
  mean_loss(model, 0, 64).backward();
  const double whole = model.w.grad().norm().item();  // @inspect whole @tol rel=1e-5 whole
  const double right = clipped(model, 1);             // @inspect right @tol rel=1e-5 right
  assert(whole > 2 && std::abs(right - 1) < 1e-5);    // @tol rel=1e-5 *
  text(R"(
    **Too early.** Between two batches that accumulate, only the first is clipped, and the second is added to it whole.
    The sum is not limited by 1, and the two batches have unequal shares in it:)");
  model.w.mutable_grad() = Tensor();
  (mean_loss(model, 0, 32) / 2).backward();
  clipped(model, 1);
  (mean_loss(model, 32, 32) / 2).backward();
  const double early = model.w.grad().norm().item();  // @inspect early @tol rel=1e-5 early
  assert(early > 1.5);                                // @tol rel=1e-5 *
  text(R"(
    **Before the scale is taken away.** With float16 the loss is multiplied by a scale, here 65,536, and so are the
    gradients, until they are divided by it. Clipped before that, they are shortened to 1 *and then* divided:)");
  optim::SGD optimizer({model.w}, {.lr = 0.1});
  amp::GradScaler scaler;
  model.w.mutable_grad() = Tensor();
  scaler.scale(mean_loss(model, 0, 64)).backward();
  clipped(model, 1);
  scaler.unscale_(optimizer);
  const double vanished = model.w.grad().norm().item();  // @inspect vanished @tol rel=1e-5 vanished
  assert(std::abs(vanished * 65536 - 1) < 1e-4);         // @tol rel=1e-5 *
  text(R"(
    Nothing fails, and the model hardly learns. Of all mistakes here this is the easiest to see, for who writes down
    the gradient's norm: it is the scale times too large. The right order:)");
  scaler.update();
  model.w.mutable_grad() = Tensor();
  scaler.scale(mean_loss(model, 0, 64)).backward();
  scaler.unscale_(optimizer);
  const double mended = clipped(model, 1);  // @inspect mended @tol rel=1e-5 mended
  assert(std::abs(mended - 1) < 1e-5);      // @tol rel=1e-5 *
  scaler.step(optimizer);
  scaler.update();
}
