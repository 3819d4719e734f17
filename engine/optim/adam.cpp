#include "optim/adam.h"

namespace lectern::optim {

Adam::Adam(const Params& params, const AdamOptions& options, std::string_view name, bool decoupled)
    : FusedOptimizer(params,
                     {{"lr", options.lr},
                      {"betas", options.betas},
                      {"eps", options.eps},
                      {"weight_decay", options.weight_decay},
                      {"amsgrad", options.amsgrad},
                      {"maximize", options.maximize}},
                     name),
      decoupled_(decoupled),
      capturable_(options.capturable) {
  check_all();
}

Adam::Adam(const Params& params, const AdamOptions& options) : Adam(params, options, "Adam", false) {}

AdamW::AdamW(const Params& params, const AdamWOptions& options)
    : Adam(params,
           {options.lr, options.betas, options.eps, options.weight_decay, options.amsgrad, options.maximize,
            options.capturable},
           "AdamW", true) {}

void Adam::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "eps", "weight_decay"}) check_range(option, group[option]);
  check_betas(group);
}

Adam::Plan Adam::plan(const ParamGroup& group) const {
  using enum kernels::UpdateRule;
  const bool amsgrad(group["amsgrad"]);
  Plan result{.rule = decoupled_ ? (amsgrad ? adamw_amsgrad : adamw) : (amsgrad ? adam_amsgrad : adam),
              .settings = kernels::AdamSettings{.lr = group["lr"],
                                                .beta1 = group["betas"][0],
                                                .beta2 = group["betas"][1],
                                                .eps = group["eps"],
                                                .weight_decay = group["weight_decay"]},
              .states = {"exp_avg", "exp_avg_sq"},
              .maximize = bool(group["maximize"]),
              .capturable = capturable_};
  if (amsgrad) result.states.emplace_back("max_exp_avg_sq");
  return result;
}

}  // namespace lectern::optim
