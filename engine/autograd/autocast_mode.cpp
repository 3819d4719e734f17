#include "autograd/autocast_mode.h"

#include <cstdint>
#include <unordered_map>

#include "autograd/saved.h"
#include "base/tensor_error.h"
#include "device/capture.h"

namespace lectern {
namespace {

struct Cast {
  Tensor leaf;
  std::uint64_t version;
  Tensor cast;
  /// A cast that is recorded is not done yet, and one that is not recorded is not repeated in a replay.
  cuda::PoolId recording;
};

/// By the leaf's storage id.
thread_local std::unordered_map<std::uint64_t, Cast> casts;
thread_local int scopes = 0;

}  // namespace

AutocastGuard::AutocastGuard(Device device, Dtype dtype, bool enabled) : AutocastGuard(autocast_mode()) {
  if (dtype != float16 && dtype != bfloat16)
    throw TensorError("AutocastGuard", "dtype", "float16 or bfloat16", name(dtype));
  detail::autocast_mode[device.type()] = enabled ? std::optional(dtype) : std::nullopt;
}

AutocastGuard::AutocastGuard(const AutocastMode& mode) : mode_(detail::autocast_mode, mode) {
  ++scopes;
}

AutocastGuard::~AutocastGuard() {
  if (--scopes == 0) casts.clear();
}

namespace autograd {

Tensor cached_cast(const Tensor& leaf, Dtype dtype) {
  const auto found = casts.find(leaf.storage().id());
  if (found == casts.end()) return {};
  const auto& [cached_leaf, version, cast, recording] = found->second;
  if (!cached_leaf.is_same(leaf) || version != leaf.storage().version() || cast.dtype() != dtype) return {};
  if (recording != cuda::current_recording()) return {};
  note_input(leaf);
  return cast;
}

void cache_cast(const Tensor& leaf, const Tensor& cast) {
  casts.insert_or_assign(leaf.storage().id(),
                         Cast{leaf, leaf.storage().version(), cast, cuda::current_recording()});
}

}  // namespace autograd
}  // namespace lectern
