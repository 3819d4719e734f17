#include "optim/lion.h"

namespace lectern::optim {

Lion::Lion(const Params& params, const LionOptions& options)
    : FusedOptimizer(params,
                     {{"lr", options.lr}, {"betas", options.betas}, {"weight_decay", options.weight_decay}},
                     "Lion") {
  check_all();
}

void Lion::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "weight_decay"}) check_range(option, group[option]);
  check_betas(group);
}

Lion::Plan Lion::plan(const ParamGroup& group) const {
  return {.rule = kernels::UpdateRule::lion,
          .settings = kernels::LionSettings{.lr = group["lr"],
                                            .beta1 = group["betas"][0],
                                            .beta2 = group["betas"][1],
                                            .weight_decay = group["weight_decay"]},
          .states = {"exp_avg"}};
}

}  // namespace lectern::optim
