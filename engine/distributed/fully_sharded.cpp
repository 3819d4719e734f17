#include "distributed/fully_sharded.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "autograd/backward_hooks.h"
#include "autograd/grad_mode.h"
#include "autograd/hooks.h"
#include "base/tensor_error.h"
#include "distributed/collectives.h"
#include "distributed/same_parameters.h"
#include "distributed/sharded_unit.h"
#include "ops/elementwise.h"
#include "ops/selection.h"
#include "optim/clip_grad.h"
#include "optim/state_dict.h"
#include "tensor/creation.h"

namespace lectern::distributed {
namespace {

constexpr const char* kFullySharded = "FullyShardedDataParallel";

using Place = std::pair<std::uint64_t, std::int64_t>;  ///< of a tensor in its storage

Place place_of(const Tensor& tensor) {
  return {tensor.storage().id(), tensor.storage_offset()};
}

/// The innermost of the modules, by name, that has what is named so; the root, "", where no other has.
std::string unit_of(const std::vector<std::string>& units, const std::string& name) {
  std::string innermost;
  for (const std::string& unit : units) {
    if (unit.size() > innermost.size() && name.starts_with(unit + ".")) innermost = unit;
  }
  return innermost;
}

/// A TensorError where a parameter is reached through two units.
void check_not_shared(const nn::Module& module, const std::vector<std::string>& units) {
  std::map<Place, std::string> names;
  for (const auto& [name, tensor] : module.state_dict()) {
    const auto [first, is_new] = names.try_emplace(place_of(tensor), name);
    if (is_new || tensor.numel() == 0 || unit_of(units, first->second) == unit_of(units, name)) continue;
    throw TensorError(kFullySharded,
                      fmt::format("{} and {} are one parameter in two units; wrap a module that has both",
                                  first->second, name));
  }
}

}  // namespace

struct FullySharded::State : std::enable_shared_from_this<State> {
  nn::Module& module;
  FullyShardedOptions options;
  std::vector<std::unique_ptr<ShardedUnit>> units;
  ShardedUnit* root = nullptr;  ///< of the parameters in no other unit; null if there are none
  std::vector<autograd::RemovableHandle> handles;
  ShardedUnit* reducing = nullptr;
  bool in_backward = false, has_gradients = false;

  State(nn::Module& root_module, FullyShardedOptions given)
      : module(root_module), options(std::move(given)) {}
  ~State() {
    for (const auto& handle : handles) handle.remove();
  }

  void make_units();
  void make_whole_ones_alike() const;
  void watch(ShardedUnit& unit);
  void watch_module(ShardedUnit& unit, nn::Module& wrapped);
  void watch_output(const Tensor& output, ShardedUnit* unit);

  void begin_backward();
  void end_backward();
  void on_gradient(ShardedUnit& unit, std::size_t entry);
  void reduce(ShardedUnit& unit);
  void finish_reduction();
  void release_all() const;

  bool keeps_parameters() const { return options.sharding_strategy == ShardingStrategy::shard_grad_op; }
  const ShardedUnit::Entry* entry_of_piece(const Tensor& piece) const;
  const ShardedUnit::Entry* entry_of_state(const std::vector<Tensor>& pieces, std::string_view name) const;
};

void FullySharded::State::make_units() {
  const auto trained = trained_parameters(module);
  check_same_parameters(kFullySharded, trained, options.process_group);
  std::map<std::string, nn::Module*> wrapped;
  std::vector<std::string> names;
  for (const auto& [name, submodule] : module.named_modules()) {
    if (name.empty() || options.auto_wrap_policy == nullptr || !options.auto_wrap_policy(*submodule))
      continue;
    wrapped.emplace(name, submodule);
    names.push_back(name);
  }
  check_not_shared(module, names);
  std::map<std::string, nn::Module::Named<Tensor>> parameters;
  for (const auto& [name, parameter] : trained)
    parameters[unit_of(names, name)].emplace_back(name, parameter);
  for (const auto& [name, own] : parameters) {
    auto unit = std::make_unique<ShardedUnit>(name, own, options.process_group, keeps_parameters());
    watch(*unit);
    if (name.empty()) {
      root = unit.get();
    } else {
      watch_module(*unit, *wrapped.at(name));
    }
    units.push_back(std::move(unit));
  }
}

void FullySharded::State::make_whole_ones_alike() const {
  const int source = get_global_rank(options.process_group, 0);
  for (const Tensor& parameter : module.parameters()) {
    if (!parameter.requires_grad()) broadcast(parameter, source, {.group = options.process_group});
  }
  for (const auto& [name, buffer] : module.named_buffers())
    broadcast(buffer, source, {.group = options.process_group});
}

void FullySharded::State::watch(ShardedUnit& unit) {
  for (std::size_t i = 0; i < unit.entries().size(); ++i)
    handles.push_back(autograd::register_post_accumulate_grad_hook(
        unit.entries()[i].parameter, [this, &unit, i] { on_gradient(unit, i); }));
}

void FullySharded::State::watch_module(ShardedUnit& unit, nn::Module& wrapped) {
  handles.push_back(wrapped.register_forward_pre_hook([&unit](const nn::Module&, const Tensor&) {
    unit.gather();
    return Tensor();
  }));
  handles.push_back(
      wrapped.register_forward_hook([this, &unit](const nn::Module&, const Tensor&, const Tensor& output) {
        if (in_backward) return Tensor();  // of a checkpoint that recomputes it
        if (!keeps_parameters()) unit.release();
        if (is_grad_enabled() && output.requires_grad()) watch_output(output, &unit);
        return Tensor();
      }));
}

/// When its gradient comes, the unit is gathered.
void FullySharded::State::watch_output(const Tensor& output, ShardedUnit* unit) {
  if (unit != nullptr) unit->is_used = true;
  const std::uint64_t version = unit == nullptr ? 0 : unit->version();
  autograd::register_hook(output, [weak = weak_from_this(), unit, version](const Tensor&) {
    const auto state = weak.lock();
    if (state == nullptr) return Tensor();
    state->begin_backward();
    if (unit == nullptr) return Tensor();
    if (unit->version() != version)
      throw TensorError(kFullySharded,
                        fmt::format("the parameters of {} were changed between its forward and "
                                    "its backward pass",
                                    unit->name().empty() ? "the module" : unit->name()));
    unit->gather();
    return Tensor();
  });
}

void FullySharded::State::begin_backward() {
  if (in_backward) return;
  in_backward = true;
  has_gradients = false;
  autograd::queue_callback([weak = weak_from_this()] {
    if (const auto state = weak.lock()) state->end_backward();
  });
}

void FullySharded::State::on_gradient(ShardedUnit& unit, std::size_t entry) {
  begin_backward();
  has_gradients = true;
  if (reducing == &unit) finish_reduction();
  if (unit.take_gradient(entry)) reduce(unit);
}

void FullySharded::State::reduce(ShardedUnit& unit) {
  finish_reduction();
  unit.start_reduction();
  reducing = &unit;
  unit.release();
}

void FullySharded::State::finish_reduction() {
  if (reducing != nullptr) std::exchange(reducing, nullptr)->finish_reduction();
}

/// Also where some parameters, or all, got no gradient: other ranks may have some.
void FullySharded::State::end_backward() {
  if (has_gradients) {
    for (const auto& unit : units) {
      if (unit->needs_reduction()) reduce(*unit);
    }
  }
  finish_reduction();
  release_all();
  in_backward = false;
}

void FullySharded::State::release_all() const {
  for (const auto& unit : units) unit->release();
}

const ShardedUnit::Entry* FullySharded::State::entry_of_piece(const Tensor& piece) const {
  for (const auto& unit : units) {
    for (const ShardedUnit::Entry& entry : unit->entries()) {
      if (entry.piece.is_same(piece)) return &entry;
    }
  }
  return nullptr;
}

FullySharded::FullySharded(nn::Module& module, const FullyShardedOptions& options)
    : state_(std::make_shared<State>(module, options)) {
  state_->make_units();
  state_->make_whole_ones_alike();
}

FullySharded::~FullySharded() = default;

void FullySharded::begin_forward() const {
  if (state_->in_backward) {  // it failed
    state_->in_backward = false;
    state_->reducing = nullptr;
    for (const auto& unit : state_->units) unit->drop_gradients();
  }
  state_->release_all();  // an optimizer may have changed what is still here
  if (state_->root != nullptr) state_->root->gather();
}

void FullySharded::end_forward(const std::vector<Tensor>& outputs) const {
  bool has_graph = false;
  for (const Tensor& output : outputs) {
    if (!is_grad_enabled() || !output.defined() || !output.requires_grad()) continue;
    state_->watch_output(output, state_->root);
    has_graph = true;
  }
  if (!has_graph) state_->release_all();
}

nn::Module::Named<Tensor> FullySharded::named_parameters() const {
  std::map<std::string, Tensor> pieces;
  for (const auto& unit : state_->units) {
    for (const ShardedUnit::Entry& entry : unit->entries()) pieces.emplace(entry.name, entry.piece);
  }
  auto parameters = state_->module.named_parameters();
  for (auto& [name, parameter] : parameters) {
    if (const auto piece = pieces.find(name); piece != pieces.end()) parameter = piece->second;
  }
  return parameters;
}

Tensor FullySharded::clip_grad_norm_(double max_norm, double norm_type) const {
  const NoGradGuard no_grad;
  std::vector<Tensor> gradients;
  for (const auto& [name, piece] : named_parameters()) {
    if (piece.grad().defined()) gradients.push_back(piece.grad());
  }
  const CollectiveOptions with{.group = state_->options.process_group};
  const Tensor first = named_parameters().front().second;  // also where there is no gradient
  // In float64, as one process adds up: in float32 the square of a large norm would be infinite.
  Tensor total = nn::utils::get_total_norm(gradients, norm_type).to(first.device(), float64);
  if (norm_type == std::numeric_limits<double>::infinity()) {
    all_reduce(total, ReduceOp::max, with);
  } else {
    total = pow(total, norm_type);
    all_reduce(total, ReduceOp::sum, with);
    total = pow(total, 1 / norm_type);
  }
  const Tensor factor = clamp(max_norm / (total + 1e-6), std::nullopt, Scalar(1.));
  for (const Tensor& gradient : gradients) gradient.mul_(factor);
  return total.to(first.dtype() == float64 ? float64 : float32);
}

StateDict FullySharded::state_dict() const {
  const NoGradGuard no_grad;
  state_->release_all();
  for (const auto& unit : state_->units) unit->gather();
  StateDict copies;
  for (const auto& [name, tensor] : state_->module.state_dict()) copies.insert(name, tensor.clone());
  state_->release_all();
  return copies;
}

void FullySharded::load_state_dict(const StateDict& state) const {
  state_->release_all();
  for (const auto& unit : state_->units) unit->gather_to_assign();
  try {
    state_->module.load_state_dict(state);
  } catch (...) {
    state_->release_all();
    throw;
  }
  state_->release_all();
}

ShardedStateDict FullySharded::sharded_state_dict() const {
  state_->release_all();
  std::map<Place, const ShardedUnit::Entry*> entries;
  for (const auto& unit : state_->units) {
    for (const ShardedUnit::Entry& entry : unit->entries()) {
      if (entry.parameter.numel() > 0) entries[place_of(entry.parameter)] = &entry;
    }
  }
  ShardedStateDict shards;
  for (const auto& [name, tensor] : state_->module.state_dict()) {
    const auto found = entries.find(place_of(tensor));
    if (tensor.numel() == 0) {  // all ranks have all of it; its place may be another's, too
      shards.emplace_back(name,
                          whole(empty(tensor.sizes(), {.dtype = tensor.dtype(), .device = tensor.device()})));
    } else if (found == entries.end()) {
      shards.emplace_back(name, whole(tensor));
    } else if (const ShardedUnit::Entry& entry = *found->second; entry.piece.numel() > 0) {
      shards.emplace_back(name, Shard{entry.piece.detach(), entry.shape, {entry.offset}});
    }
  }
  return shards;
}

/// The piece that an entry of the optimizer's state is of; null for other entries.
const ShardedUnit::Entry* FullySharded::State::entry_of_state(const std::vector<Tensor>& pieces,
                                                              std::string_view name) const {
  const auto parts = optim::parse_state_name(name);
  const bool is_state = parts && parts->prefix == optim::kStatePrefix && parts->index < pieces.size();
  return is_state ? entry_of_piece(pieces[parts->index]) : nullptr;
}

ShardedStateDict FullySharded::optimizer_state_dict(const optim::Optimizer& optimizer) const {
  const std::vector<Tensor> pieces = optimizer.parameters();
  ShardedStateDict shards;
  for (const auto& [name, tensor] : optimizer.state_dict()) {
    const ShardedUnit::Entry* const entry = state_->entry_of_state(pieces, name);
    const bool is_piece = entry != nullptr && tensor.sizes() == entry->piece.sizes();
    shards.emplace_back(name,
                        is_piece ? Shard{tensor.detach(), entry->shape, {entry->offset}} : whole(tensor));
  }
  return shards;
}

void FullySharded::load_optimizer_state_dict(optim::Optimizer& optimizer, const ShardedCheckpoint& checkpoint,
                                             const std::string& part) const {
  const std::vector<Tensor> pieces = optimizer.parameters();
  StateDict own;
  for (const std::string& name : checkpoint.names(part)) {
    const ShardedUnit::Entry* const entry = state_->entry_of_state(pieces, name);
    if (entry != nullptr && entry->piece.numel() == 0) continue;
    const Tensor saved = checkpoint.get_tensor(std::string(part).append(".").append(name));
    if (entry == nullptr || saved.dim() == 0) {
      own.insert(name, saved);
      continue;
    }
    if (saved.sizes() != entry->shape)
      throw TensorError(kFullySharded, fmt::format("the shape of {} in the checkpoint", name),
                        to_string(entry->shape), to_string(saved.sizes()));
    own.insert(name, part_of(saved, entry->piece.sizes(), {entry->offset}).clone());
  }
  optimizer.load_state_dict(own);
}

}  // namespace lectern::distributed
