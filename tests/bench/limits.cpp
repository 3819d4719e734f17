#include "bench/limits.h"

#include "accounting/hardware.h"

namespace lectern::bench {
namespace {

// What PyTorch 2.11 reaches there, as others have measured it; the data sheet promises 4.8 TB/s and 989.5
// TFLOP/s. Of the other units the limit is the sheet's own figure.
constexpr double kCopied = 4.3e12;      ///< bytes a second of a copy, read and written
constexpr double kMultiplied = 790e12;  ///< operations a second of a product of bfloat16, 769 to 798

double operations_a_second(Unit unit) {
  const Hardware sheet = *find_hardware("NVIDIA H200");
  switch (unit) {
    case Unit::float32:
      return sheet.float32;
    case Unit::tf32:
      return sheet.tf32;
    case Unit::bits16:
      return kMultiplied;
  }
  return 0;
}

}  // namespace

Limit limit_of(const Counters& cost, Unit unit, Bound bound) {
  if (bound == Bound::elsewhere) return {0, ""};
  const double memory = bound == Bound::arithmetic ? 0 : 1e9 * static_cast<double>(cost.bytes) / kCopied;
  const double arithmetic = 1e9 * static_cast<double>(cost.flops) / operations_a_second(unit);
  return memory >= arithmetic ? Limit{memory, "memory"} : Limit{arithmetic, "arithmetic"};
}

}  // namespace lectern::bench
