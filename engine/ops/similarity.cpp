#include "ops/similarity.h"

#include "autograd/record.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/operands.h"
#include "ops/reductions.h"

namespace lectern {
namespace {

/// max(‖x‖, eps), whose gradient is, as in PyTorch, x divided by it.
Tensor length_or(double eps, const Tensor& x, std::int64_t dim) {
  return autograd::recorded(
      "cosine_similarity", {&x}, [&] { return norm(x, 2, {dim}, true).clamp_min_(eps); },
      [&](const Tensor& out) {
        return autograd::formula([](const Tensor& grad, const Tensor& vectors,
                                    const Tensor& length) { return vectors * (grad / length); },
                                 Saved(x), Saved(out));
      });
}

}  // namespace

Tensor cosine_similarity(const Tensor& x, const Tensor& y, std::int64_t dim, double eps) {
  const auto similarity = [=](const Tensor& a, const Tensor& b) { return cosine_similarity(a, b, dim, eps); };
  if (autocasts_to_float32(x) || autocasts_to_float32(y)) return autocast_to_float32(similarity, x, y);
  const Dtype common = promoted_dtype(x, y);
  check_floating("cosine_similarity", common);
  if (element_size(common) < 4) return similarity(x.to(float32), y.to(float32)).to(common);
  const Sizes sizes = broadcast_sizes("cosine_similarity", x.sizes(), y.sizes());
  const Tensor a = x.to(common).expand(sizes), b = y.to(common).expand(sizes);
  const auto unit = [&](const Tensor& vectors) { return vectors / length_or(eps, vectors, dim); };
  return sum(unit(a) * unit(b), {dim});
}

Tensor normalize(const Tensor& x, double p, std::int64_t dim, double eps) {
  const auto normalized = [=](const Tensor& vectors) { return normalize(vectors, p, dim, eps); };
  if (autocasts_to_float32(x)) return autocast_to_float32(normalized, x);
  // The usual eps is 0 in float16 and float8, and a vector of zeros would become NaN.
  if (x.is_floating_point() && x.element_size() < 4) return normalized(x.to(float32)).to(x.dtype());
  return x / norm(x, p, {dim}, true).clamp_min(eps);
}

}  // namespace lectern
