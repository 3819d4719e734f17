#include "optim/muon.h"

#include <algorithm>
#include <cmath>

#include "autograd/autocast_mode.h"
#include "autograd/grad_mode.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reductions.h"
#include "optim/state_tensor.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::optim {
namespace {

double rate_of(const ParamGroup& group, const Tensor& parameter) {
  const double rows = static_cast<double>(parameter.size(0)),
               columns = static_cast<double>(parameter.size(1));
  const double scale = group["match_rms_adamw"] ? 0.2 * std::sqrt(std::max(rows, columns))
                                                : std::sqrt(std::max(1., rows / columns));
  return group["lr"] * scale;
}

}  // namespace

Muon::Muon(const Params& params, const MuonOptions& options)
    : Optimizer(params,
                {{"lr", options.lr},
                 {"weight_decay", options.weight_decay},
                 {"momentum", options.momentum},
                 {"nesterov", options.nesterov},
                 {"eps", options.eps},
                 {"ns_steps", options.ns_steps},
                 {"match_rms_adamw", options.match_rms_adamw}},
                "Muon"),
      ns_coefficients_(options.ns_coefficients),
      ns_dtype_(options.ns_dtype) {
  check_all();
}

void Muon::check(const ParamGroup& group) const {
  for (const char* option : {"lr", "weight_decay", "momentum", "eps"}) check_range(option, group[option]);
  check_range("ns_steps", group["ns_steps"], 100);
  for (const Tensor& parameter : group.params) {
    if (parameter.dim() != 2)
      throw TensorError(name(), "a parameter", "a matrix", "of shape " + to_string(parameter.sizes()));
  }
}

std::optional<StateSpecs> Muon::state_specs(const ParamGroup& /*group*/, const Tensor& parameter) const {
  return StateSpecs{{"momentum_buffer", {parameter.sizes()}}};
}

Tensor Muon::orthogonalized(const Tensor& update, const ParamGroup& group) const {
  const bool is_tall = update.size(0) > update.size(1);
  const auto& [a, b, c] = ns_coefficients_;
  Tensor x = (is_tall ? update.t() : update).to(ns_dtype_);
  x = x / x.norm().clamp_min_(double(group["eps"]));
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(group["ns_steps"].value()); ++i) {
    const Tensor gram = mm(x, x.t());
    const Tensor polynomial = mm(gram, gram).mul_(c).add_(gram * b);
    x = mm(polynomial, x).add_(x * a);
  }
  return is_tall ? x.t() : x;
}

void Muon::step() {
  const NoGradGuard no_grad;
  const AutocastGuard no_autocast{AutocastMode()};
  check_gradients(nullptr);
  for (const ParamGroup& group : param_groups()) {
    const double momentum = group["momentum"];
    for (const Tensor& parameter : group.params) {
      const Tensor grad = parameter.grad();
      if (!grad.defined() || grad.numel() == 0) continue;
      Tensor& buffer = state(parameter)["momentum_buffer"];
      if (!buffer.defined()) buffer = state_tensor(zeros_like(parameter));
      if (!are_alike(buffer, parameter))
        throw TensorError("step", "momentum_buffer", "like its parameter",
                          "of another shape, dtype or device");
      const Tensor share = grad * (1 - momentum);
      buffer.mul_(momentum).add_(share);
      const Tensor update = group["nesterov"] ? share.add_(buffer * momentum) : buffer;
      parameter.mul_(1 - group["lr"] * group["weight_decay"]);
      parameter.sub_(orthogonalized(update, group).to(parameter.dtype()) * rate_of(group, parameter));
    }
  }
}

}  // namespace lectern::optim
