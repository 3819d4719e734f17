#include "distributed/reducer.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "autograd/accumulate_grad.h"
#include "autograd/grad_mode.h"
#include "autograd/graph.h"
#include "base/tensor_error.h"
#include "distributed/buffers.h"
#include "distributed/collectives.h"
#include "distributed/same_parameters.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::distributed {
namespace {

constexpr const char* kName = "DistributedDataParallel";

/// The nodes from which the outputs were computed.
std::unordered_set<const autograd::Node*> used_nodes(const std::vector<Tensor>& outputs) {
  std::vector<std::shared_ptr<autograd::Node>> roots;
  for (const Tensor& output : outputs) {
    if (output.defined() && output.requires_grad()) roots.push_back(autograd::Graph::node(output));
  }
  const auto nodes = autograd::reachable(roots);
  return {nodes.begin(), nodes.end()};
}

}  // namespace

Reducer::Reducer(nn::Module& module, const DataParallelOptions& options) : options_(options) {
  const auto trained = trained_parameters(module);
  check_same_parameters(kName, trained, options_.process_group);
  for (const auto& [name, parameter] : trained) entries_.push_back({name, parameter});
  for (const auto& [name, buffer] : module.named_buffers()) buffers_.push_back(buffer);
  const int root = get_global_rank(options_.process_group, 0);
  for (const Tensor& parameter : module.parameters())
    broadcast(parameter, root, {.group = options_.process_group});
  for (const Tensor& buffer : buffers_) broadcast(buffer, root, {.group = options_.process_group});
  make_buckets();
  for (std::size_t i = 0; i < entries_.size(); ++i)
    handles_.push_back(
        autograd::register_post_accumulate_grad_hook(entries_[i].parameter, [this, i] { on_gradient(i); }));
}

Reducer::~Reducer() {
  for (const auto& handle : handles_) handle.remove();
}

void Reducer::make_buckets() {
  constexpr double kMiB = 1 << 20;
  std::vector<Bucket> open;
  for (std::size_t i = entries_.size(); i-- > 0;) {
    const Tensor& parameter = entries_[i].parameter;
    auto bucket = std::ranges::find(open, parameter.dtype(), &Bucket::dtype);
    if (bucket == open.end()) bucket = open.insert(open.end(), Bucket{parameter.dtype()});
    bucket->entries.push_back(i);
    entries_[i].offset = bucket->numel;
    bucket->numel += parameter.numel();
    const double cap = buckets_.empty() ? std::min(options_.bucket_cap_mb, 1.) : options_.bucket_cap_mb;
    if (static_cast<double>(bucket->numel * parameter.element_size()) < cap * kMiB) continue;
    buckets_.push_back(std::move(*bucket));
    open.erase(bucket);
  }
  std::ranges::move(open, std::back_inserter(buckets_));
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    for (const std::size_t i : buckets_[b].entries) entries_[i].bucket = b;
  }
  reset();
}

void Reducer::reset() {
  for (Entry& entry : entries_) {
    entry.is_ready = false;
    entry.is_used = true;
    entry.gradient = Tensor();
  }
  for (Bucket& bucket : buckets_) {
    bucket.missing = bucket.entries.size();
    bucket.flat = Tensor();  // what is in use stays alive as grad()
    bucket.work = Work();
  }
  next_bucket_ = 0;
  is_begun_ = false;
}

std::string Reducer::names(bool (*is_wanted)(const Entry&)) const {
  std::string list;
  for (const Entry& entry : entries_) {
    if (is_wanted(entry)) list += (list.empty() ? "" : ", ") + entry.name;
  }
  return list;
}

void Reducer::prepare_for_forward() {
  if (is_begun_)
    throw TensorError(kName, "the last backward() did not finish; these had no gradient: " +
                                 names([](const Entry& entry) { return !entry.is_ready; }));
  if (!require_sync || !options_.broadcast_buffers) return;
  const int root = get_global_rank(options_.process_group, 0);
  for (const Tensor& buffer : buffers_) broadcast(buffer, root, {.group = options_.process_group});
}

void Reducer::prepare_for_backward(const std::vector<Tensor>& outputs) {
  is_active_ = require_sync && is_grad_enabled();
  if (!is_active_ || !options_.find_unused_parameters) return;
  const auto used = used_nodes(outputs);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (used.contains(autograd::Graph::accumulator(entries_[i].parameter).get())) continue;
    entries_[i].is_used = false;
  }
}

void Reducer::on_gradient(std::size_t index) {
  if (!is_active_) return;
  if (entries_[index].is_ready)
    throw TensorError(kName,
                      fmt::format("{} got a gradient twice in one backward(), or after a forward pass "
                                  "that did not use it; call the module through {} once per backward()",
                                  entries_[index].name, kName));
  if (!is_begun_) {
    is_begun_ = true;
    autograd::queue_callback([this] { finish(); });
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].is_used) mark_ready(i);
    }
    if (entries_[index].is_ready) return;
  }
  mark_ready(index);
}

/// Moves the gradient to its place in the bucket. The first one of a bucket allocates it, so that gradients
/// take their own size, and one of them more while it is moved.
void Reducer::mark_ready(std::size_t index) {
  const NoGradGuard no_grad;
  Entry& entry = entries_[index];
  Bucket& bucket = buckets_[entry.bucket];
  const Tensor& parameter = entry.parameter;
  if (!bucket.flat.defined()) {
    bucket.flat = empty({bucket.numel}, {.dtype = bucket.dtype, .device = parameter.device()});
    bucket.flat.storage().set_category(MemoryCategory::gradient);
  }
  const Tensor grad = parameter.grad();
  const Tensor& like = grad.defined() ? grad : parameter;
  const bool is_own_layout = is_dense(like.sizes(), like.strides());
  entry.gradient =
      bucket.flat.alias(parameter.sizes(),
                        is_own_layout ? like.strides() : contiguous_strides(parameter.sizes()), entry.offset);
  if (grad.defined()) {
    copy_elements(entry.gradient, grad);
  } else {
    fill_elements(entry.gradient, 0);
  }
  if (entry.is_used) parameter.mutable_grad() = entry.gradient;
  entry.is_ready = true;
  --bucket.missing;
  for (; next_bucket_ < buckets_.size() && buckets_[next_bucket_].missing == 0; ++next_bucket_) {
    Bucket& full = buckets_[next_bucket_];
    full.work = all_reduce(full.flat, ReduceOp::avg, {.group = options_.process_group, .async_op = true});
  }
}

void Reducer::finish() {
  if (next_bucket_ < buckets_.size()) {
    throw TensorError(kName, "backward() gave these parameters no gradient: " + names([](const Entry& entry) {
                               return !entry.is_ready;
                             }) + "; with find_unused_parameters they may be left out");
  }
  for (const Bucket& bucket : buckets_) bucket.work.wait();
  if (options_.find_unused_parameters) share_unused();
  reset();
  is_active_ = false;
}

/// What another rank used has a gradient here as well; what nobody did keeps what it had.
void Reducer::share_unused() {
  const Tensor used = zeros({static_cast<std::int64_t>(entries_.size())}, {.dtype = uint8, .device = cpu});
  auto* const flags = used.data<std::uint8_t>();
  for (std::size_t i = 0; i < entries_.size(); ++i) flags[i] = entries_[i].is_used ? 1 : 0;
  all_reduce(used, ReduceOp::max, {.group = options_.process_group});
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].is_used && flags[i] != 0) entries_[i].parameter.mutable_grad() = entries_[i].gradient;
  }
}

}  // namespace lectern::distributed
