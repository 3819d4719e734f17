#include "optim/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/autocast_mode.h"
#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/join.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "optim/lbfgs_history.h"
#include "optim/line_search.h"
#include "optim/state_tensor.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

double largest(const Tensor& x) {
  return x.numel() == 0 ? 0 : x.abs().max().item<double>();
}
double inner_product(const Tensor& a, const Tensor& b) {
  return matmul(a, b).item<double>();
}

std::int64_t count_of(const Optimizer::State& state, const char* name) {
  const auto found = state.find(name);
  return found == state.end() || !found->second.defined() ? 0 : found->second.item<std::int64_t>();
}
Tensor count_tensor(std::int64_t count) {
  return state_tensor(full({}, count, {.dtype = int64, .device = cpu}));
}

}  // namespace

/// One step.
class LBFGS::Iterations {
 public:
  Iterations(LBFGS& optimizer, const Closure& closure)
      : group_(optimizer.param_groups()[0]),
        state_(optimizer.state(group_.params[0])),
        closure_(closure),
        history_(state_, static_cast<std::size_t>(group_["history_size"].value())),
        iterations_(count_of(state_, "n_iter")) {
    if (iterations_ == 0) return;
    direction_ = state_["d"];
    before_ = state_["prev_flat_grad"];
    length_ = state_["t"].item<double>();
  }

  Tensor run() {
    const Tensor first = evaluate();
    const auto most = static_cast<std::int64_t>(group_["max_iter"].value());
    const double max_eval = group_["max_eval"];
    for (std::int64_t i = 1; i <= most && largest(gradient_) > group_["tolerance_grad"]; ++i) {
      ++iterations_;
      const double loss = loss_;
      if (!iterate(i == most) || i == most || static_cast<double>(evaluations_) >= max_eval) break;
      if (length_ * largest(direction_) <= group_["tolerance_change"]) break;
      if (std::abs(loss_ - loss) < group_["tolerance_change"]) break;
    }
    keep();
    return first;
  }

 private:
  /// Sets loss and gradient at the present parameters.
  Tensor evaluate() {
    Tensor loss;
    {
      const EnableGradGuard recorded;
      loss = closure_();
    }
    ++evaluations_;
    loss_ = loss.item<double>();
    std::vector<Tensor> parts;
    for (const Tensor& parameter : group_.params) {
      const Tensor grad = parameter.grad();
      parts.push_back(grad.defined() ? grad.reshape({-1}) : zeros_like(parameter).reshape({-1}));
    }
    gradient_ = parts.size() == 1 ? parts[0].clone() : cat(parts);
    return loss;
  }

  void move(double step) const {
    std::int64_t at = 0;
    for (const Tensor& parameter : group_.params) {
      const std::int64_t end = at + parameter.numel();
      parameter.add_(direction_.slice(0, at, end).reshape(parameter.sizes()) * step);
      at = end;
    }
  }

  /// False where the direction does not lead down.
  bool iterate(bool is_last) {
    if (iterations_ == 1) {
      history_.clear();
      direction_ = gradient_.neg();
    } else {
      history_.add(gradient_ - before_, direction_ * length_);
      direction_ = history_.direction(gradient_);
    }
    before_ = gradient_;
    length_ = group_["lr"];
    if (iterations_ == 1) length_ *= std::min(1., 1 / sum(gradient_.abs()).item<double>());
    const double slope = inner_product(gradient_, direction_);
    if (slope > -group_["tolerance_change"]) return false;
    if (group_["strong_wolfe"]) {
      search(slope);
    } else {
      move(length_);
      if (!is_last) evaluate();
    }
    return true;
  }

  void search(double slope) {
    std::vector<Tensor> origin;
    for (const Tensor& parameter : group_.params) origin.push_back(parameter.detach().clone());
    const auto evaluated = [&](double step) {
      move(step);
      evaluate();
      for (std::size_t i = 0; i < origin.size(); ++i) group_.params[i].copy_(origin[i]);
      return LinePoint{step, loss_, inner_product(gradient_, direction_), gradient_};
    };
    const LinePoint start{0, loss_, slope, gradient_};
    const LinePoint found = strong_wolfe(evaluated, start, length_, largest(direction_), 1e-9).found;
    loss_ = found.loss;
    gradient_ = found.gradient;
    length_ = found.step;
    move(length_);
  }

  void keep() {
    state_["func_evals"] = count_tensor(count_of(state_, "func_evals") + evaluations_);
    state_["n_iter"] = count_tensor(iterations_);
    if (iterations_ == 0) return;
    const TensorOptions like{.dtype = gradient_.dtype(), .device = gradient_.device()};
    state_["d"] = state_tensor(direction_);
    state_["t"] = state_tensor(full({}, length_, like));
    state_["prev_flat_grad"] = state_tensor(before_);
    history_.keep(state_);
  }

  const ParamGroup& group_;
  State& state_;
  const Closure& closure_;
  LbfgsHistory history_;
  std::int64_t iterations_, evaluations_ = 0;
  double loss_ = 0, length_ = 0;
  Tensor gradient_, direction_, before_;
};

LBFGS::LBFGS(const Params& params, const LBFGSOptions& options)
    : Optimizer(params,
                {{"lr", options.lr},
                 {"max_iter", options.max_iter},
                 {"max_eval", options.max_eval.value_or(options.max_iter * 5 / 4)},
                 {"tolerance_grad", options.tolerance_grad},
                 {"tolerance_change", options.tolerance_change},
                 {"history_size", options.history_size},
                 {"strong_wolfe", options.strong_wolfe}},
                "LBFGS") {
  check_all();
}

void LBFGS::check(const ParamGroup& group) const {
  for (const char* option :
       {"lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size"})
    check_range(option, group[option]);
  if (param_groups().size() > 1) throw TensorError(name(), "all parameters must form one group");
  for (const Tensor& parameter : group.params) {
    const Tensor& first = group.params[0];
    if (parameter.dtype() != first.dtype() || parameter.device() != first.device())
      throw TensorError(name(), "all parameters must have one dtype and be on one device");
  }
}

Tensor LBFGS::step(const Closure& closure) {
  const NoGradGuard no_grad;
  check_all();
  return Iterations(*this, closure).run();
}

void LBFGS::step() {
  throw TensorError(name(), "a step evaluates the loss several times: call step(closure)");
}
void LBFGS::step(const GradScale& /*scale*/) {
  step();
}

}  // namespace lectern::optim
