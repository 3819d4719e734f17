#include "lecture/find_ceilings.h"

#include <cmath>
#include <exception>

#include "accounting/hardware.h"
#include "accounting/memory_bandwidth.h"
#include "base/dtype.h"
#include "device/cuda.h"
#include "device/threads.h"

namespace lectern::record {
namespace {

/// What is measured, or multiplied by a clock, has so many digits.
double with_three_digits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

Ceiling make_ceiling(Device device, double bytes) {
  Ceiling ceiling{.bytes = device.is_cpu() ? with_three_digits(bytes) : bytes, .measured = device.is_cpu()};
  for (const Dtype dtype : {float64, float32, bfloat16}) {
    if (const auto flops = peak_flops(device, dtype))
      ceiling.flops.emplace_back(name(dtype), device.is_cpu() ? with_three_digits(*flops) : *flops);
  }
  return ceiling;
}

void add_cpu(Ceilings& ceilings) {
  if (!peak_flops(cpu, float32)) return;
  if (const auto bytes = measure_memory_bandwidth(get_num_threads()))
    ceilings.emplace_back(cpu.name(), make_ceiling(cpu, *bytes));
}

void add_gpus(Ceilings& ceilings) {
  for (int i = 0; i < cuda::device_count(); ++i) {
    const Device gpu(Device::Type::cuda, i);
    if (const auto hardware = find_hardware(cuda::get_device_properties(i).name))
      ceilings.emplace_back(gpu.name(), make_ceiling(gpu, hardware->memory_bandwidth));
  }
}

}  // namespace

Ceilings find_ceilings(std::string_view profile) {
  Ceilings ceilings;
  try {
    add_cpu(ceilings);
    if (profile == "cuda") add_gpus(ceilings);
  } catch (const std::exception&) {  // a lecture runs without them
  }
  return ceilings;
}

std::string find_device(std::string_view profile) {
  try {
    if (profile == "cuda" && cuda::device_count() > 0) return cuda::get_device_properties(0).name;
  } catch (const std::exception&) {  // as above
  }
  return {};
}

}  // namespace lectern::record
