#include "optim/sgd.h"

#include "base/tensor_error.h"

namespace lectern::optim {
namespace {

Options defaults(const SGDOptions& options) {
  Options result{{"momentum", options.momentum},
                 {"dampening", options.dampening},
                 {"weight_decay", options.weight_decay},
                 {"nesterov", options.nesterov},
                 {"maximize", options.maximize}};
  if (options.lr) result.emplace("lr", *options.lr);
  return result;
}

}  // namespace

SGD::SGD(const Params& params, const SGDOptions& options)
    : FusedOptimizer(params, defaults(options), "SGD", {"lr"}) {
  check_all();
}

void SGD::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "momentum", "weight_decay"}) check_range(option, group[option]);
  if (group["nesterov"] && (group["momentum"] <= 0 || group["dampening"] != 0))
    throw TensorError(name(), "nesterov requires a momentum and zero dampening");
}

SGD::Plan SGD::plan(const ParamGroup& group) const {
  const bool momentum(group["momentum"]);
  return {.rule = momentum ? kernels::UpdateRule::sgd_momentum : kernels::UpdateRule::sgd,
          .settings = kernels::SgdSettings{.lr = group["lr"],
                                           .weight_decay = group["weight_decay"],
                                           .momentum = group["momentum"],
                                           .dampening = group["dampening"],
                                           .nesterov = bool(group["nesterov"])},
          .states = momentum ? std::vector<std::string>{"momentum_buffer"} : std::vector<std::string>{},
          .maximize = bool(group["maximize"])};
}

}  // namespace lectern::optim
