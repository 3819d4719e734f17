#include "ops/histogram.h"

#include <cmath>
#include <string>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/extremum.h"
#include "ops/index.h"
#include "tensor/creation.h"

namespace lectern {

Tensor histc(const Tensor& x, std::int64_t bins, double min, double max) {
  constexpr std::string_view kName = "histc";
  check_floating(kName, x.dtype());
  if (bins <= 0) throw TensorError(kName, "bins", "more than 0", std::to_string(bins));
  const NoGradGuard no_grad;
  const Tensor elements = x.detach().reshape({-1});
  if (min == max && elements.numel() > 0) {
    min = elements.min().item<double>();
    max = elements.max().item<double>();
  }
  if (min == max) {
    min -= 1;
    max += 1;
  }
  const std::string range = std::to_string(min) + " to " + std::to_string(max);
  if (!std::isfinite(min) || !std::isfinite(max)) throw TensorError(kName, "the range", "finite", range);
  if (!(min < max)) throw TensorError(kName, "max", "more than min", range);
  const Tensor inside = masked_select(elements, (elements >= min).logical_and_(elements <= max));
  const Tensor places = inside.to(compute_dtype(x.dtype())).sub_(min).div_(max - min).mul_(bins);
  return bincount(places.to(int64).clamp_max_(bins - 1), bins).to(x.dtype());
}

Tensor Tensor::histc(std::int64_t bins, double min, double max) const {
  return lectern::histc(*this, bins, min, max);
}

}  // namespace lectern
