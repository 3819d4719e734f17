// Lecture 2, gradients and what they cost.

#include "parts.h"

void gradients_basics() {
  text("## Gradients");
  text(R"(
    So far tensors went through operations. Training also goes the other way: from a loss to how it changes
    with each parameter. That is the gradient.)");
  text(R"(Take a linear model of one output with a quadratic loss, $\ell = \frac{1}{2} (x \cdot w - 5)^2$:)");
  const Tensor x = tensor({1., 2, 3});
  const Tensor w = tensor({1., 1, 1}, {.requires_grad = true});  // @inspect w
  const Tensor pred_y = x.matmul(w);                             // @inspect pred_y
  const Tensor loss = 0.5 * (pred_y - 5).pow(2);                 // @inspect loss
  assert(pred_y.item() == 6);
  assert(loss.item() == 0.5);
  text(R"(
    While it ran, every operation that `w` went into was recorded, with what its derivative needs. `backward`
    goes through the record from its end:)");
  loss.backward();
  const Tensor w_grad = w.grad();  // @inspect w_grad
  text(R"(By hand, $\nabla_w \ell = (x \cdot w - 5)\, x$, and $x \cdot w$ is 6.)");
  assert(w_grad.equal(tensor({1., 2, 3})));
  graph(
      loss, {{"w", w}, {"pred_y", pred_y}, {"loss", loss}},
      {.alt = "A chain of boxes: w, with its gradient, goes through matmul, sub and pow to mul, which gives the loss.",
       .caption = "The record, as it was made. `backward` went up from the loss and left the gradient at `w`."});
  text(R"(
    Only what asked for a gradient keeps one: the parameter. `x` is data, and the gradients of `pred_y` and
    `loss` were needed on the way, but not kept.)");
  assert(!x.grad().defined());
  assert(!pred_y.grad().defined() && !loss.grad().defined());
}

// Two layers and a loss; gradients of what is in between are kept.
struct TwoLayers {
  Tensor x, w1, w2, h1, h2, loss;
};
// @stepover
TwoLayers forward(const Tensor& x, const Tensor& w1, const Tensor& w2) {
  const Tensor h1 = x.matmul(w1);
  const Tensor h2 = h1.matmul(w2);
  const Tensor loss = h2.pow(2).mean();
  h1.retain_grad();
  h2.retain_grad();
  return {x, w1, w2, h1, h2, loss};
}

// What a backward pass took, by the operations' own count.  @stepover
int64_t measured_backward(const Tensor& loss) {
  const CountScope scope;
  loss.backward();
  return scope.counted().flops;
}

void six_steps() {
  text(R"(
    Where do the six operations for one weight and one data point come from? Two take the input through the
    weight, two bring the gradient to the weight, two bring it to the input.)"),
      link(works::flops_calculus);
  image("figures/lecture_02/six_steps.svg",
        {.alt = "A weight w between a number h1 on the left and a number h2 on the right, and six steps. Forward: 1, "
                "h1 times w; 2, added to h2. Backward, to the weight: 3, h1 times the gradient of h2; 4, added to the "
                "gradient of w. Backward, to the input: 5, w times the gradient of h2; 6, added to the gradient of h1.",
         .caption = "The six operations of one weight for one data point; ∂ is the gradient of the loss."});
}

void gradients_flops() {
  text("### What gradients cost");
  text(R"(The model is now two matrices in a row: $x \to h_1 = x w_1 \to h_2 = h_1 w_2 \to \ell$.)");
  const bool gpu = cuda::is_available();
  const bool large = has_large_gpu();
  const Device device = gpu ? Device("cuda") : cpu;
  const int64_t B = gpu ? 16384 : 1024;                // data points @inspect B
  const int64_t D = large ? 32768 : gpu ? 8192 : 256;  // @inspect D
  const int64_t K = large ? 8192 : gpu ? 4096 : 64;    // outputs @inspect K
  Generator generator = Generator(device).manual_seed(0);
  const Tensor x = ones({B, D}, {.device = device});
  const Tensor w1 = randn({D, D}, {.device = device}, &generator).requires_grad_();
  const Tensor w2 = randn({D, K}, {.device = device}, &generator).requires_grad_();
  const TwoLayers model = forward(x, w1, w2);
  text("Forward, each matrix takes two operations for each of its numbers and each data point:");
  const int64_t num_forward_flops = (2 * B * D * D) + (2 * B * D * K);  // @inspect num_forward_flops
  text("And backward? Let us write down what `backward` computes, from the loss on. Take the second layer.");
  const int64_t measured = measured_backward(model.loss);
  int64_t num_backward_flops = 0;  // @inspect num_backward_flops
  text(R"(
    For the parameters,
    $\frac{\partial \ell}{\partial w_2[j,k]} = \sum_i h_1[i,j]\, \frac{\partial \ell}{\partial h_2[i,k]}$: for
    each triple $(i, j, k)$ again a multiplication and an addition. It is a product of two matrices.)");
  assert(w2.grad().shape() == Sizes({D, K}));
  assert(w2.grad().allclose(model.h1.t().matmul(model.h2.grad()), 1e-4, 1e-4));
  num_backward_flops += 2 * B * D * K;  // @inspect num_backward_flops
  text(R"(
    To go on to the first layer,
    $\frac{\partial \ell}{\partial h_1[i,j]} = \sum_k w_2[j,k]\, \frac{\partial \ell}{\partial h_2[i,k]}$:
    as many once more.)");
  assert(model.h1.grad().shape() == Sizes({B, D}));
  assert(model.h1.grad().allclose(model.h2.grad().matmul(w2.t()), 1e-4, 1e-4));
  num_backward_flops += 2 * B * D * K;  // @inspect num_backward_flops
  text("So backward computes two products where forward computed one. For $w_1$ the same, by the rule:");
  num_backward_flops += (2 + 2) * B * D * D;  // @inspect num_backward_flops
  assert(num_backward_flops == 2 * num_forward_flops);
  six_steps();
  text("### The rule, and what is really done");
  text(R"(
    The rule counted one product that nobody needs. The second of the two brings the gradient to a layer's
    *input*; the first layer's input is data, which has not asked for one.)");
  assert(!x.grad().defined());
  const int64_t exact = num_backward_flops - 2 * B * D * D;  // @inspect exact
  text("And measured, by the counters of the operations that `backward` called:");
  const int64_t of_the_loss = measured - exact;  // @inspect measured of_the_loss
  assert(of_the_loss > 0 && of_the_loss < 10 * B * K);
  text(R"(
    The little that remains is the loss, with a few operations for each of the $B \cdot K$ outputs. If the
    input does ask for its gradient, the rule is exact:)");
  const Tensor wanted = x.detach().requires_grad_();
  w1.mutable_grad() = Tensor();
  w2.mutable_grad() = Tensor();
  const TwoLayers again = forward(wanted, w1, w2);
  const int64_t with_input = measured_backward(again.loss);  // @inspect with_input
  assert(wanted.grad().defined());
  assert(with_input - of_the_loss == num_backward_flops);
  text("Depth makes it matter less. Of $L$ equal layers, $6 L - 2$ parts in $6 L$ are done in all:");
  std::vector<TableRow> rows;
  for (const int layers : {1, 2, 4, 12, 96}) {
    rows.push_back({layers, fmt::format("{:.1f} %", 100 * (6. * layers - 2) / (6. * layers))});
  }
  table({"Layers", "Of the rule"}, rows);
  text(R"(
    That is the number of the napkin. Forward, 2 · (data points) · (parameters); backward, 4 · (data points) ·
    (parameters); **together 6 · (data points) · (parameters)**.)");
}

void gradients() {
  gradients_basics();
  gradients_flops();
}
