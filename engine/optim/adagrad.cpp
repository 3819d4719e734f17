#include "optim/adagrad.h"

namespace lectern::optim {

Adagrad::Adagrad(const Params& params, const AdagradOptions& options)
    : FusedOptimizer(params,
                     {{"lr", options.lr},
                      {"lr_decay", options.lr_decay},
                      {"weight_decay", options.weight_decay},
                      {"initial_accumulator_value", options.initial_accumulator_value},
                      {"eps", options.eps},
                      {"maximize", options.maximize}},
                     "Adagrad") {
  check_all();
}

void Adagrad::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps"})
    check_range(option, group[option]);
}

Adagrad::Plan Adagrad::plan(const ParamGroup& group) const {
  return {.rule = kernels::UpdateRule::adagrad,
          .settings = kernels::AdagradSettings{.lr = group["lr"],
                                               .lr_decay = group["lr_decay"],
                                               .weight_decay = group["weight_decay"],
                                               .eps = group["eps"]},
          .states = {"sum"},
          .maximize = bool(group["maximize"]),
          .initial_value = group["initial_accumulator_value"]};
}

}  // namespace lectern::optim
