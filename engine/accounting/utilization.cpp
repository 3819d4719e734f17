#include "accounting/utilization.h"

#include <cmath>
#include <string>
#include <string_view>

#include "base/tensor_error.h"

namespace lectern {
namespace {

void check_positive(std::string_view argument, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw TensorError("model_flops_utilization", argument, "a positive number", std::to_string(value));
}

}  // namespace

std::optional<double> model_flops_utilization(double flops, double seconds,
                                              std::optional<double> peak_flops) {
  check_positive("flops", flops);
  check_positive("seconds", seconds);
  if (!peak_flops) return {};
  check_positive("peak_flops", *peak_flops);
  return flops / seconds / *peak_flops;
}

}  // namespace lectern
