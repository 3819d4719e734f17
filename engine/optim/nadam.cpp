#include "optim/nadam.h"

#include "device/counters.h"
#include "optim/state_tensor.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

constexpr const char* kMuProduct = "mu_product";

/// 1 where a parameter begins.
double product_so_far(const Optimizer::State& state) {
  const auto product = state.find(kMuProduct), average = state.find("exp_avg");
  const bool begins = average == state.end() || !average->second.defined();
  return begins || product == state.end() || !product->second.defined() ? 1 : product->second.item<double>();
}

}  // namespace

NAdam::NAdam(const Params& params, const NAdamOptions& options)
    : FusedOptimizer(params,
                     {{"lr", options.lr},
                      {"betas", options.betas},
                      {"eps", options.eps},
                      {"weight_decay", options.weight_decay},
                      {"momentum_decay", options.momentum_decay}},
                     "NAdam") {
  check_all();
}

void NAdam::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "eps", "weight_decay", "momentum_decay"})
    check_range(option, group[option]);
  check_betas(group);
}

NAdam::Plan NAdam::plan(const ParamGroup& group) const {
  return {.rule = kernels::UpdateRule::nadam,
          .settings = kernels::NadamSettings{.lr = group["lr"],
                                             .beta1 = group["betas"][0],
                                             .beta2 = group["betas"][1],
                                             .eps = group["eps"],
                                             .weight_decay = group["weight_decay"],
                                             .momentum_decay = group["momentum_decay"],
                                             .mu_product = 1},
          .states = {"exp_avg", "exp_avg_sq"}};
}

std::optional<NAdam::Settings> NAdam::settings_of(const Plan& plan, const State& state) const {
  auto settings = std::get<kernels::NadamSettings>(plan.settings);
  settings.mu_product = product_so_far(state);
  return settings;
}

void NAdam::step() {
  std::vector<std::pair<Tensor, kernels::NadamSettings>> stepped;
  for (const ParamGroup& group : param_groups()) {
    const Plan group_plan = plan(group);
    for (const Tensor& parameter : group.params) {
      if (!parameter.grad().defined()) continue;
      const Settings settings = *settings_of(group_plan, state(parameter));
      stepped.emplace_back(parameter, std::get<kernels::NadamSettings>(settings));
    }
  }
  FusedOptimizer::step();
  for (const auto& [parameter, settings] : stepped) {
    State& kept = state(parameter);
    Tensor& product = kept[kMuProduct];
    if (!product.defined())
      product = uncounted([] { return state_tensor(empty({}, {.dtype = float32, .device = cpu})); });
    *product.data<float>() =
        static_cast<float>(kernels::nadam_product(settings, kept["step"].item<double>()));
    product.storage().bump_version();
  }
}

void NAdam::step(const GradScale& scale) {
  // The host has to know which steps are taken.
  Optimizer::step(scale);  // NOLINT(bugprone-parent-virtual-call)
}

std::optional<StateSpecs> NAdam::state_specs(const ParamGroup& group, const Tensor& parameter) const {
  auto specs = FusedOptimizer::state_specs(group, parameter);
  (*specs)[kMuProduct] = {.sizes = {}, .is_number = true};
  return specs;
}

}  // namespace lectern::optim
