#include "trace/roof.h"

#include <algorithm>

namespace lectern {
namespace {

/// No machine is slower or faster, by far.
bool believable(double per_second) {
  return per_second >= 1e3 && per_second <= 1e21;
}

std::optional<Roof> roof_from(const std::string& device, const Ceiling& ceiling) {
  const double* const flops = ceiling.flops.find("float32");
  if (flops == nullptr || !believable(*flops) || !believable(ceiling.bytes)) return {};
  const double* const bfloat16 = ceiling.flops.find("bfloat16");
  const bool faster = bfloat16 != nullptr && believable(*bfloat16) && *bfloat16 > *flops;
  return Roof{device, *flops, faster ? *bfloat16 : 0, ceiling.bytes, ceiling.measured};
}

}  // namespace

double Roof::attainable(double intensity) const {
  return std::min(flops, intensity * bytes);
}

double Roof::share(const Cost& cost) const {
  const double intensity = arithmetic_intensity(cost);
  return intensity > 0 ? flops_per_second(cost) / attainable(intensity) : 0;
}

double arithmetic_intensity(const Cost& cost) {
  return cost.bytes > 0 ? static_cast<double>(cost.flops) / static_cast<double>(cost.bytes) : 0;
}

std::optional<Roof> run_roof(const Trace& trace, const CostAccount& account) {
  if (!trace.profile) return {};
  const auto gpu = std::ranges::find_if(account.devices,
                                        [](const std::string& device) { return device.starts_with("cuda"); });
  const std::string device = gpu != account.devices.end() ? *gpu : "cpu";
  const Ceiling* const ceiling = trace.profile->ceilings.find(device);
  return ceiling == nullptr ? std::nullopt : roof_from(device, *ceiling);
}

}  // namespace lectern
