#include "ops/compare.h"

#include <limits>
#include <string>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"

namespace lectern {
namespace {

/// Counts the same on all devices: not how the answer comes to the host.
bool all_true(const Tensor& matches) {
  if (matches.numel() == 0) return true;
  const Tensor least = min(matches);
  return uncounted([&] { return least.item<bool>(); });
}

void check_tolerance(std::string_view argument, double tolerance) {
  if (!(tolerance >= 0)) throw TensorError("isclose", argument, "0 or more", std::to_string(tolerance));
}

}  // namespace

bool equal(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && all_true(eq(a, b));
}

Tensor isclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  if (a.dtype() != b.dtype()) {
    throw TensorError("isclose", "the dtypes", "the same",
                      std::string(name(a.dtype())) + " and " + std::string(name(b.dtype())));
  }
  check_tolerance("rtol", rtol);
  check_tolerance("atol", atol);
  // Also equal infinities, whose difference is NaN.
  Tensor close = eq(a, b);
  if (equal_nan && a.is_floating_point()) close = maximum(close, minimum(ne(a, a), ne(b, b)));
  if (rtol == 0 && atol == 0) return close;
  const Dtype computed = compute_dtype(a.dtype());
  const Tensor x = a.to(computed);
  const Tensor y = b.to(computed);
  const Tensor allowed = y.mul(rtol).abs_().add_(atol);
  const Tensor actual = x.sub(y).abs_();
  const Tensor finite = lt(actual, std::numeric_limits<double>::infinity());
  return maximum(close, minimum(finite, le(actual, allowed)));
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol, bool equal_nan) {
  return all_true(isclose(a, b, rtol, atol, equal_nan));
}

}  // namespace lectern
