#include "tensor/overlap.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

/// Memory steps that may add up to a distance.
struct Steps {
  std::int64_t stride;
  std::int64_t least, most;  ///< count, negative: backwards
};

void add_steps(std::vector<Steps>& all, const Tensor& tensor, std::int64_t direction) {
  for (std::size_t d = 0; d < tensor.sizes().size(); ++d) {
    const std::int64_t stride = tensor.strides()[d], most = direction * (tensor.sizes()[d] - 1);
    if (stride == 0 || most == 0) continue;
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const Steps& steps) { return steps.stride == stride; });
    Steps& steps = same != all.end() ? *same : all.emplace_back(Steps{stride, 0, 0});
    (most < 0 ? steps.least : steps.most) += most;
  }
}

/// Whether a distance is a sum of steps.
class Distance {
 public:
  explicit Distance(std::vector<Steps> steps) : steps_(std::move(steps)) {
    std::sort(steps_.begin(), steps_.end(),
              [](const Steps& a, const Steps& b) { return a.stride > b.stride; });
    reaches_.resize(steps_.size() + 1);
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const auto& [stride, least, most] = steps_[i];
      reaches_[i] = {reaches_[i + 1].least + least * stride, reaches_[i + 1].most + most * stride};
    }
  }

  /// Uses the steps from index `first` on. True when it takes too long to tell.
  bool is_sum(std::int64_t distance, std::size_t first = 0) {
    if (++tries_ > kMaxTries) return true;
    if (distance < reaches_[first].least || distance > reaches_[first].most) return false;
    if (first == steps_.size()) return true;
    const auto& [stride, least, most] = steps_[first];
    const Reach& rest = reaches_[first + 1];
    // As many of these as leave a distance the rest can reach.
    const std::int64_t from = std::max(least, -((rest.most - distance) / stride));
    const std::int64_t to = std::min(most, (distance - rest.least) / stride);
    for (std::int64_t times = from; times <= to; ++times) {
      if (is_sum(distance - times * stride, first + 1)) return true;
    }
    return false;
  }

 private:
  struct Reach {
    std::int64_t least = 0, most = 0;
  };
  static constexpr int kMaxTries = 10'000;

  std::vector<Steps> steps_;
  std::vector<Reach> reaches_;  ///< of the steps from each index on
  int tries_ = 0;
};

/// Whether both are views of the same elements in the same order.
bool are_same_view(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.storage_offset() != b.storage_offset() || a.sizes() != b.sizes())
    return false;
  for (std::size_t d = 0; d < a.sizes().size(); ++d) {
    if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
  }
  return true;
}

}  // namespace

bool share_elements(const Tensor& a, const Tensor& b) {
  if (a.storage() != b.storage() || a.numel() == 0 || b.numel() == 0) return false;
  if (a.dtype() != b.dtype()) return true;  // offsets are in different units
  std::vector<Steps> steps;
  add_steps(steps, a, 1);
  add_steps(steps, b, -1);
  return Distance(std::move(steps)).is_sum(b.storage_offset() - a.storage_offset());
}

Tensor without_overlap(std::string_view operation, const Tensor& target, const Tensor& source,
                       Writes writes) {
  if (target.storage() != source.storage()) return source;
  const bool same = target.is_same(source) || are_same_view(target, source);
  if (same ? writes == Writes::in_order : !share_elements(target, source)) return source;
  if (!same && is_dense(target.sizes(), target.strides()) && is_dense(source.sizes(), source.strides())) {
    throw TensorError(operation,
                      "the written tensor partially overlaps the one that is read; "
                      "clone() one of them first");
  }
  return uncounted(
      [&] { return copied(operation, source, source.dtype(), source.device(), result_strides(source)); });
}

}  // namespace lectern
