#include "lecture/ceilings.h"

#include <cmath>
#include <exception>
#include <optional>
#include <string>

#include "accounting/hardware.h"
#include "accounting/memory_bandwidth.h"
#include "base/dtype.h"
#include "device/cuda.h"
#include "device/threads.h"

namespace lectern::record {
namespace {

/// With the digits that such a figure has.
double with_three_digits(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

void add_ceiling(Ceilings& ceilings, Device device, std::optional<double> bytes, bool measured) {
  Ceiling ceiling{.bytes = bytes ? with_three_digits(*bytes) : 0, .measured = measured};
  for (const Dtype dtype : {float64, float32, bfloat16}) {
    if (const auto flops = peak_flops(device, dtype))
      ceiling.flops.emplace_back(std::string(name(dtype)), with_three_digits(*flops));
  }
  if (bytes && !ceiling.flops.empty()) ceilings.emplace_back(device.name(), std::move(ceiling));
}

void add_cpu(Ceilings& ceilings) {
  if (peak_flops(cpu, float32)) add_ceiling(ceilings, cpu, measure_memory_bandwidth(get_num_threads()), true);
}

void add_gpus(Ceilings& ceilings) {
  for (int i = 0; i < cuda::device_count(); ++i) {
    if (const auto hardware = find_hardware(cuda::get_device_properties(i).name))
      add_ceiling(ceilings, Device(Device::Type::cuda, i), hardware->memory_bandwidth, false);
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

}  // namespace lectern::record
