#include "ops/autocast.h"

#include "autograd/grad_mode.h"
#include "autograd/graph.h"

namespace lectern {
namespace {

bool takes_part(const Tensor& x, const AutocastMode& mode) {
  return x.defined() && x.is_floating_point() && x.dtype() != float64 && mode[x.device().type()].has_value();
}

}  // namespace

Tensor autocast_operand(const Tensor& x, const AutocastMode& mode) {
  if (!takes_part(x, mode)) return x;
  const Dtype dtype = *mode[x.device().type()];
  const bool is_kept = x.dtype() == float32 && is_grad_enabled() && x.requires_grad() && x.is_leaf() &&
                       !autograd::Graph::is_view(x);
  if (!is_kept) return x.to(dtype);
  if (Tensor known = autograd::cached_cast(x, dtype); known.defined()) return known;
  Tensor cast = x.to(dtype);
  autograd::cache_cast(x, cast);
  return cast;
}

Tensor autocast_float32(const Tensor& x, const AutocastMode& mode) {
  return takes_part(x, mode) && x.element_size() < 4 ? x.to(float32) : x;
}

}  // namespace lectern
