#include "ops/dropout.h"

#include "base/number_text.h"
#include "base/tensor_error.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "tensor/creation.h"

namespace lectern {

Tensor dropout(const Tensor& x, double p, bool training, Generator* generator) {
  if (!(p >= 0 && p <= 1)) throw TensorError("dropout", "p", "in [0, 1]", number_text(p));
  if (!training || p == 0) return x;
  if (are_float8(x))
    return compute_in_float32([&](const Tensor& in) { return dropout(in, p, true, generator); }, x);
  const TensorOptions like{.dtype = x.dtype(), .device = x.device()};
  if (p == 1) return x * zeros({}, like);  // draws nothing, as in PyTorch
  const Tensor kept = empty(x.sizes(), like).bernoulli_(1 - p, generator);
  return x * kept.div_(1 - p);
}

}  // namespace lectern
