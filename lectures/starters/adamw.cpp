#include <lectern/exercise.h>

using namespace lectern;

/// What AdamW keeps for a parameter.
struct State {
  Tensor m, v;       // averages of the gradient and of its square
  int64_t step = 0;  // how many there were
};

struct Options {
  double lr = 1e-2, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0.1;
};

/// One step: changes the parameter in place, and the state.
void adamw(Tensor& parameter, const Tensor& gradient, State& state, const Options& options) {
  not_written("the averages, their correction, the decay and the update");
}

/// What is left of the difference after so many steps beside Lectern's own, on the same gradients.
double difference_after(int steps, const Options& options) {
  manual_seed(0);
  Tensor mine = randn({16});
  Tensor theirs = mine.clone().requires_grad_();
  State state{zeros({16}), zeros({16})};
  optim::AdamW optimizer({theirs}, {.lr = options.lr,
                                    .betas = {options.beta1, options.beta2},
                                    .eps = options.eps,
                                    .weight_decay = options.weight_decay});
  for (int i = 0; i < steps; ++i) {
    const Tensor gradient = randn({16});
    theirs.mutable_grad() = gradient.clone();
    optimizer.step();
    adamw(mine, gradient, state, options);
  }
  return (mine - theirs.detach()).abs().max().item();
}

void the_first_step_is_as_long_as_the_learning_rate() {
  text("## The first step");
  text("Both averages begin at 0. Corrected for that, the first step is $\\pm$ the learning rate, however large the "
       "gradient.");
  Tensor parameter = zeros({3});
  State state{zeros({3}), zeros({3})};
  adamw(parameter, tensor({100., -0.01, 3}), state, {.lr = 0.5, .weight_decay = 0});  // @inspect parameter state
  assert(parameter.allclose(tensor({-0.5, 0.5, -0.5}), 1e-4));
  assert(state.step == 1);
}

void the_decay_is_not_part_of_the_gradient() {
  text("## The decay");
  text("Without a gradient, a step shrinks the parameter by $1 - \\text{lr} \\cdot \\text{decay}$ and leaves the "
       "averages alone.");
  Tensor parameter = full({2}, 8.0);
  State state{zeros({2}), zeros({2})};
  adamw(parameter, zeros({2}), state, {.lr = 0.5, .weight_decay = 0.5});  // @inspect parameter state
  assert(parameter.allclose(full({2}, 6.0)));
  assert(state.m.abs().max().item() == 0);
}

void it_goes_where_lecterns_own_goes() {
  text("## Beside `optim::AdamW`");
  assert(difference_after(1, {}) < 1e-5);
  assert(difference_after(50, {}) < 1e-4);
  assert(difference_after(50, {.beta1 = 0.5, .weight_decay = 0}) < 1e-4);
}

int main() {
  lecture({.title = "Exercise: a step of AdamW", .date = "2026-11-28"});
  text(R"(
    With $g$ the gradient, $\eta$ the learning rate and $\lambda$ the decay, step $t$ is

    $$m \leftarrow \beta_1 m + (1 - \beta_1) g \qquad v \leftarrow \beta_2 v + (1 - \beta_2) g^2$$
    $$p \leftarrow (1 - \eta \lambda)\, p - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}$$

    Write it in `adamw`; `lectern build` tells which of the claims below hold.)");
  the_first_step_is_as_long_as_the_learning_rate();
  the_decay_is_not_part_of_the_gradient();
  it_goes_where_lecterns_own_goes();
}
