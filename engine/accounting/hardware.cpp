#include "accounting/hardware.h"

#include <array>
#include <cmath>
#include <string>

#include "base/tensor_error.h"
#include "device/cuda.h"

namespace lectern {
namespace {

/// A GPU whose driver's name contains both words; the first match wins.
struct DataSheet {
  std::string_view model;
  std::string_view form;
  Hardware hardware;
};

// From NVIDIA's data sheets of these products; figures with sparsity are halved.
constexpr auto kDataSheets = std::to_array<DataSheet>({
    {"H200", "NVL", {"H200 NVL", 141e9, 4.8e12, 60e12, 60e12, 417.5e12, 835.5e12, 1670.5e12}},
    {"H200", "", {"H200 SXM", 141e9, 4.8e12, 67e12, 67e12, 494.5e12, 989.5e12, 1979e12}},
    {"H100", "NVL", {"H100 NVL", 94e9, 3.9e12, 60e12, 60e12, 417.5e12, 835.5e12, 1670.5e12}},
    {"H100", "PCIe", {"H100 PCIe", 80e9, 2e12, 51e12, 51e12, 378e12, 756.5e12, 1513e12}},
    {"H100", "HBM3", {"H100 SXM", 80e9, 3.35e12, 67e12, 67e12, 494.5e12, 989.5e12, 1979e12}},
    {"A100", "SXM4-80GB", {"A100 SXM 80GB", 80e9, 2.039e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
    {"A100", "SXM4-40GB", {"A100 SXM 40GB", 40e9, 1.555e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
    {"A100", "80GB PCIe", {"A100 PCIe 80GB", 80e9, 1.935e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
    {"A100", "PCIE-40GB", {"A100 PCIe 40GB", 40e9, 1.555e12, 19.5e12, 19.5e12, 156e12, 312e12, 0}},
});

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
  if (!device.is_cuda()) return {};
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
