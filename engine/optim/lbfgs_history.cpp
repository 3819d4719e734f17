#include "optim/lbfgs_history.h"

#include <string>
#include <vector>

#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "optim/state_tensor.h"
#include "tensor/creation.h"

namespace lectern::optim {
namespace {

constexpr double kLeastCurvature = 1e-10;

std::string entry_name(const char* kind, std::size_t i) {
  return std::string(kind) + "." + std::to_string(i);
}

}  // namespace

LbfgsHistory::LbfgsHistory(const Optimizer::State& state, std::size_t most) : most_(most) {
  const auto find = [&](const std::string& name) {
    const auto found = state.find(name);
    return found == state.end() ? Tensor() : found->second;
  };
  scale_ = find("H_diag");
  for (std::size_t i = 0; find(entry_name("ro", i)).defined(); ++i) {
    entries_.push_back(
        {find(entry_name("old_dirs", i)), find(entry_name("old_stps", i)), find(entry_name("ro", i))});
  }
}

void LbfgsHistory::clear() {
  entries_.clear();
  scale_ = Tensor();
}

void LbfgsHistory::add(const Tensor& gradient_change, const Tensor& step) {
  const Tensor curvature = matmul(gradient_change, step);
  if (!(curvature.item<double>() > kLeastCurvature)) return;
  entries_.push_back({gradient_change, step, 1 / curvature});
  if (entries_.size() > most_) entries_.pop_front();
  scale_ = curvature / matmul(gradient_change, gradient_change);
}

Tensor LbfgsHistory::direction(const Tensor& gradient) const {
  Tensor result = gradient.neg();
  std::vector<Tensor> shares(entries_.size());
  for (std::size_t i = entries_.size(); i-- > 0;) {
    shares[i] = matmul(entries_[i].step, result) * entries_[i].share;
    result.sub_(entries_[i].change * shares[i]);
  }
  if (scale_.defined()) result.mul_(scale_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Tensor share = matmul(entries_[i].change, result) * entries_[i].share;
    result.add_(entries_[i].step * (shares[i] - share));
  }
  return result;
}

void LbfgsHistory::keep(Optimizer::State& state) const {
  std::erase_if(state, [](const auto& entry) {
    return entry.first.starts_with("ro.") || entry.first.starts_with("old_");
  });
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    state[entry_name("old_dirs", i)] = state_tensor(entries_[i].change);
    state[entry_name("old_stps", i)] = state_tensor(entries_[i].step);
    state[entry_name("ro", i)] = state_tensor(entries_[i].share);
  }
  if (scale_.defined()) state["H_diag"] = state_tensor(scale_);
}

}  // namespace lectern::optim
