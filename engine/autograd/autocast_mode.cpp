#include "autograd/autocast_mode.h"

#include <cstdint>
#include <string>
#include <unordered_map>

#include "autograd/saved.h"
#include "base/tensor_error.h"

namespace lectern {
namespace detail {

constinit thread_local AutocastMode autocast_mode;

}  // namespace detail

namespace {

struct Cast {
  Tensor leaf;
  std::uint64_t version;
  Tensor cast;
};

/// By the leaf's storage id.
thread_local std::unordered_map<std::uint64_t, Cast> casts;
thread_local int scopes = 0;

}  // namespace

AutocastGuard::AutocastGuard(Device device, Dtype dtype, bool enabled) : AutocastGuard(autocast_mode()) {
  if (dtype != float16 && dtype != bfloat16)
    throw TensorError("AutocastGuard", "dtype", "float16 or bfloat16", std::string(name(dtype)));
  detail::autocast_mode[device.type()] = enabled ? std::optional(dtype) : std::nullopt;
}

AutocastGuard::AutocastGuard(const AutocastMode& mode) : before_(autocast_mode()) {
  detail::autocast_mode = mode;
  ++scopes;
}

AutocastGuard::~AutocastGuard() {
  detail::autocast_mode = before_;
  if (--scopes == 0) casts.clear();
}

namespace autograd {

Tensor known_cast(const Tensor& leaf, Dtype dtype) {
  const auto known = casts.find(leaf.storage().id());
  if (known == casts.end()) return {};
  const Cast& cast = known->second;
  const bool serves =
      cast.leaf.is_same(leaf) && cast.version == leaf.storage().version() && cast.cast.dtype() == dtype;
  if (!serves) return {};
  note_input(leaf);
  return cast.cast;
}

void remember_cast(const Tensor& leaf, const Tensor& cast) {
  casts.insert_or_assign(leaf.storage().id(), Cast{leaf, leaf.storage().version(), cast});
}

}  // namespace autograd
}  // namespace lectern
