#include "accounting/hardware.h"

#include <cmath>
#include <string>

#include "accounting/cpu_peak.h"
#include "base/tensor_error.h"
#include "device/cuda.h"
#include "device/threads.h"

namespace lectern {
namespace {

std::optional<double> if_supported(double flops) {
  return flops > 0 ? std::optional(flops) : std::nullopt;
}

void check_positive(std::string_view argument, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw TensorError("model_flops_utilization", argument, "a positive number", std::to_string(value));
}

}  // namespace

std::optional<Hardware> find_hardware(std::string_view device_name) {
  for (const DataSheet& sheet : kDataSheets) {
    if (device_name.find(sheet.model) != std::string_view::npos &&
        device_name.find(sheet.form) != std::string_view::npos)
      return sheet.hardware;
  }
  return {};
}

std::optional<double> peak_flops(const Hardware& hardware, Dtype dtype, bool allow_tf32) {
  switch (dtype) {
    case Dtype::float64:
      return if_supported(hardware.float64);
    case Dtype::float32:
      return if_supported(allow_tf32 ? hardware.tf32 : hardware.float32);
    case Dtype::float16:
    case Dtype::bfloat16:
      return if_supported(hardware.bits16);
    case Dtype::float8_e4m3fn:
    case Dtype::float8_e5m2:
      return if_supported(hardware.bits8);
    default:
      return {};
  }
}

std::optional<double> peak_flops(Device device, Dtype dtype) {
  if (!device.is_cuda()) return cpu_peak_flops(dtype, get_num_threads());
  const auto hardware = find_hardware(cuda::get_device_properties(device.index()).name);
  return hardware ? peak_flops(*hardware, dtype, cuda::allow_tf32()) : std::nullopt;
}

std::optional<double> model_flops_utilization(double flops, double seconds,
                                              std::optional<double> peak_flops) {
  check_positive("flops", flops);
  check_positive("seconds", seconds);
  if (!peak_flops) return {};
  check_positive("peak_flops", *peak_flops);
  return flops / seconds / *peak_flops;
}

}  // namespace lectern
