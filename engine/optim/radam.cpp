#include "optim/radam.h"

namespace lectern::optim {

RAdam::RAdam(const Params& params, const RAdamOptions& options)
    : FusedOptimizer(params,
                     {{"lr", options.lr},
                      {"betas", options.betas},
                      {"eps", options.eps},
                      {"weight_decay", options.weight_decay}},
                     "RAdam") {
  check_all();
}

void RAdam::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "eps", "weight_decay"}) check_range(option, group[option]);
  check_betas(group);
}

RAdam::Plan RAdam::plan(const ParamGroup& group) const {
  return {.rule = kernels::UpdateRule::radam,
          .settings = kernels::AdamSettings{.lr = group["lr"],
                                            .beta1 = group["betas"][0],
                                            .beta2 = group["betas"][1],
                                            .eps = group["eps"],
                                            .weight_decay = group["weight_decay"]},
          .states = {"exp_avg", "exp_avg_sq"}};
}

}  // namespace lectern::optim
