#include "optim/rmsprop.h"

namespace lectern::optim {

RMSprop::RMSprop(const Params& params, const RMSpropOptions& options)
    : FusedOptimizer(params,
                     {{"lr", options.lr},
                      {"alpha", options.alpha},
                      {"eps", options.eps},
                      {"weight_decay", options.weight_decay},
                      {"momentum", options.momentum},
                      {"centered", options.centered},
                      {"maximize", options.maximize}},
                     "RMSprop") {
  check_all();
}

void RMSprop::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "alpha", "eps", "weight_decay", "momentum"})
    check_range(option, group[option]);
}

RMSprop::Plan RMSprop::plan(const ParamGroup& group) const {
  using enum kernels::UpdateRule;
  const bool momentum(group["momentum"]), centered(group["centered"]);
  Plan result{.rule = centered ? (momentum ? rmsprop_centered_momentum : rmsprop_centered)
                               : (momentum ? rmsprop_momentum : rmsprop),
              .settings = kernels::RmspropSettings{.lr = group["lr"],
                                                   .alpha = group["alpha"],
                                                   .eps = group["eps"],
                                                   .weight_decay = group["weight_decay"],
                                                   .momentum = group["momentum"]},
              .states = {"square_avg"},
              .maximize = bool(group["maximize"])};
  if (centered) result.states.emplace_back("grad_avg");
  if (momentum) result.states.emplace_back("momentum_buffer");
  return result;
}

}  // namespace lectern::optim
