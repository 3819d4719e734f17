#include "distributed/sharded_unit.h"

#include <algorithm>

#include <fmt/format.h>

#include "autograd/grad_mode.h"
#include "autograd/gradient_sums.h"
#include "base/tensor_error.h"
#include "distributed/collectives.h"
#include "distributed/flat_slice.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::distributed {
namespace {

constexpr const char* kSharded = "FullyShardedDataParallel";

/// Of parameters that are not gathered.
class AbsentElements final : public DeferredElements {
 public:
  explicit AbsentElements(std::string unit) : unit_(std::move(unit)) {}

  void compute(const Storage& /*storage*/) override {
    throw TensorError(
        kSharded,
        fmt::format("the parameters of {} are divided among the ranks, and gathered only while it is called "
                    "in forward() or computes gradients; see parameters() and state_dict()",
                    unit_.empty() ? "the module" : unit_));
  }

 private:
  std::string unit_;
};

/// The elements as a collective sees them: no change of the tensor's version.
Tensor elements_at(void* data, const Tensor& like) {
  return from_blob(data, like.sizes(), [] {}, {.dtype = like.dtype(), .device = like.device()});
}

}  // namespace

ShardedUnit::ShardedUnit(std::string name, const nn::Module::Named<Tensor>& parameters, Group group,
                         bool keeps_memory)
    : name_(std::move(name)),
      group_(std::move(group)),
      keeps_memory_(keeps_memory),
      absent_(std::make_shared<AbsentElements>(name_)) {
  const int ranks = get_world_size(group_);
  const Dtype dtype = parameters[0].second.dtype();
  const Device device = parameters[0].second.device();
  for (const auto& [entry, parameter] : parameters) {
    if (parameter.dtype() != dtype)
      throw TensorError(kSharded, "the dtypes of parameters that are gathered together", "the same",
                        fmt::format("{} of {} and {} of {}", lectern::name(dtype), parameters[0].first,
                                    lectern::name(parameter.dtype()), entry));
    if (parameter.device() != device)
      throw TensorError(kSharded, "the devices of parameters that are gathered together", "the same",
                        fmt::format("{} of {} and {} of {}", device.name(), parameters[0].first,
                                    parameter.device().name(), entry));
    if (parameter.dim() == 0)
      throw TensorError(kSharded, fmt::format("{} has no dimensions; make it one of shape [1]", entry));
    numel_ += parameter.numel();
  }
  share_ = (numel_ + ranks - 1) / ranks;
  const TensorOptions options{.dtype = dtype, .device = device};
  array_ = empty({ranks * share_}, options);
  array_.storage().set_category(MemoryCategory::parameter);
  take_parameters(parameters);
  if (keeps_memory_) {
    share_tensor_ = flat_slice(array_, get_rank(group_) * share_, share_);
  } else {
    share_tensor_ = empty({share_}, options);
    share_tensor_.storage().set_category(MemoryCategory::parameter);
  }
  std::vector<Tensor> shares;
  for (int rank = 0; rank < ranks && get_rank(group_) == 0; ++rank)
    shares.push_back(flat_slice(array_, rank * share_, share_));
  scatter(share_tensor_, shares, get_global_rank(group_, 0), {.group = group_});
  make_pieces();
  is_gathered_ = true;
  release();
}

/// Their elements, one parameter's after the other's, and then zeros.
void ShardedUnit::take_parameters(const nn::Module::Named<Tensor>& parameters) {
  const NoGradGuard no_grad;
  std::int64_t begin = 0;
  for (const auto& [name, parameter] : parameters) {
    const Tensor place = array_.alias(parameter.sizes(), contiguous_strides(parameter.sizes()), begin);
    copy_elements(place, parameter.detach());
    parameter.set_data(place);
    entries_.push_back({name, parameter, parameter.sizes(), begin, {}});
    begin += parameter.numel();
  }
  fill_elements(flat_slice(array_, begin, array_.numel() - begin), 0);
}

void ShardedUnit::make_pieces() {
  const std::int64_t first = get_rank(group_) * share_;
  for (Entry& entry : entries_) {
    const std::int64_t numel = entry.parameter.numel();
    const std::int64_t begin = std::clamp(first - entry.begin, std::int64_t{0}, numel);
    const std::int64_t end = std::clamp(first + share_ - entry.begin, begin, numel);
    entry.offset = begin;
    const std::int64_t place = begin < end ? entry.begin + begin - first : 0;
    entry.piece = flat_slice(share_tensor_, place, end - begin);
    entry.piece.requires_grad_();
  }
}

void ShardedUnit::gather() {
  if (is_gathered_) return;
  const NoGradGuard no_grad;
  const Storage& storage = array_.storage();
  void* const data = storage.is_deferred() ? storage.allocate_deferred() : storage.data_ptr();
  all_gather_into_tensor(elements_at(data, array_), share_tensor_, {.group = group_});
  if (storage.is_deferred()) storage.resolve();
  is_gathered_ = true;
}

void ShardedUnit::gather_to_assign() {
  gather();
  is_assigned_ = true;
}

void ShardedUnit::release() {
  if (!is_gathered_) return;
  const NoGradGuard no_grad;
  if (is_assigned_ && !keeps_memory_)
    copy_elements(share_tensor_, flat_slice(array_, get_rank(group_) * share_, share_));
  is_gathered_ = is_assigned_ = false;
  if (!keeps_memory_ && array_.numel() > 0) array_.storage().evict(absent_);
}

bool ShardedUnit::take_gradient(std::size_t entry) {
  const NoGradGuard no_grad;
  Entry& taken = entries_[entry];
  if (!gradients_.defined()) {
    gradients_ = empty(array_.sizes(), {.dtype = array_.dtype(), .device = array_.device()});
    gradients_.storage().set_category(MemoryCategory::gradient);
  }
  const Tensor place = gradients_.alias(taken.shape, contiguous_strides(taken.shape), taken.begin);
  const Tensor grad = std::exchange(taken.parameter.mutable_grad(), Tensor());
  if (taken.has_gradient) {
    autograd::add_into(place, grad);
  } else {
    copy_elements(place, grad);
  }
  taken.has_gradient = true;
  return std::ranges::all_of(entries_, &Entry::has_gradient);
}

void ShardedUnit::start_reduction() {
  const NoGradGuard no_grad;
  if (!gradients_.defined()) {
    gradients_ = zeros(array_.sizes(), {.dtype = array_.dtype(), .device = array_.device()});
    gradients_.storage().set_category(MemoryCategory::gradient);
  } else {
    for (const Entry& entry : entries_) {
      if (!entry.has_gradient) fill_elements(flat_slice(gradients_, entry.begin, entry.parameter.numel()), 0);
    }
    fill_elements(flat_slice(gradients_, numel_, array_.numel() - numel_), 0);
  }
  averaged_ = empty({share_}, {.dtype = array_.dtype(), .device = array_.device()});
  averaged_.storage().set_category(MemoryCategory::gradient);
  reduction_ =
      reduce_scatter_tensor(averaged_, gradients_, ReduceOp::avg, {.group = group_, .async_op = true});
  for (Entry& entry : entries_) entry.has_gradient = false;
  is_used = false;
}

void ShardedUnit::finish_reduction() {
  if (!averaged_.defined()) return;
  const NoGradGuard no_grad;
  reduction_.wait();
  reduction_ = Work();
  gradients_ = Tensor();
  const Tensor averaged = std::exchange(averaged_, Tensor());
  for (const Entry& entry : entries_) {
    if (entry.piece.numel() == 0) continue;
    const Tensor part = flat_slice(averaged, entry.piece.storage_offset() - share_tensor_.storage_offset(),
                                   entry.piece.numel());
    Tensor& grad = entry.piece.mutable_grad();
    if (grad.defined()) {
      autograd::add_into(grad, part);
    } else {
      grad = part;
    }
  }
}

void ShardedUnit::drop_gradients() {
  gradients_ = averaged_ = Tensor();
  reduction_ = Work();
  for (Entry& entry : entries_) {
    entry.has_gradient = false;
    entry.parameter.mutable_grad() = Tensor();
  }
  is_used = false;
}

}  // namespace lectern::distributed
