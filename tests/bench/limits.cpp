#include "bench/limits.h"

#include "accounting/hardware.h"

namespace lectern::bench {
namespace {

/// What PyTorch 2.11 reaches, as others have measured it. The data sheets promise 3.35 and 4.8 TB/s, and both
/// 989.5 TFLOP/s. For the other units the limit is the sheet's own figure.
struct Gpu {
  const char* name;
  const char* sheet;
  double copied;      ///< bytes a second of a copy, read and written
  double multiplied;  ///< operations a second of a product of bfloat16
};
constexpr Gpu kH100{"H100", "NVIDIA H100 80GB HBM3", 3.0e12, 798e12};
constexpr Gpu kH200{"H200", "NVIDIA H200", 4.3e12, 790e12};  // 769 to 798

double operations_a_second(const Gpu& gpu, Unit unit) {
  const Hardware sheet = *find_hardware(gpu.sheet);
  switch (unit) {
    case Unit::float32:
      return sheet.float32;
    case Unit::tf32:
      return sheet.tf32;
    case Unit::bits16:
      return gpu.multiplied;
  }
  return 0;
}

}  // namespace

Limit limit_of(const Counters& cost, Unit unit, Bound bound, std::string_view name) {
  const Gpu& gpu = name.find(kH100.name) == std::string_view::npos ? kH200 : kH100;
  if (bound == Bound::elsewhere) return {0, "", gpu.name};
  const double memory = bound == Bound::arithmetic ? 0 : 1e9 * static_cast<double>(cost.bytes) / gpu.copied;
  const double arithmetic = 1e9 * static_cast<double>(cost.flops) / operations_a_second(gpu, unit);
  return memory >= arithmetic ? Limit{memory, "memory", gpu.name} : Limit{arithmetic, "arithmetic", gpu.name};
}

}  // namespace lectern::bench
