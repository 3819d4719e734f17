#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"

// What a CPU can do, by what the kernel tells of it.
//
// Operations per cycle and core are those of its units for fused multiply-add, two for each element of their
// width. Where there are none, a unit for products and one for sums count as one. From Intel's "64 and IA-32
// Architectures Optimization Reference Manual" and AMD's "Software Optimization Guide" of each family:
//
//   unit                                          float32  float64
//   SSE2, a product and a sum of 128 bits               8        4
//   AVX, the same of 256 bits                          16        8
//   two of 128 bits: Zen, Gracemont, Crestmont         16        8
//   two of 256 bits: Haswell and later, Zen 2 to 4     32       16
//   one of 512 bits: Ice Lake's clients, some Xeons    32       16
//   two of 512 bits: other AVX-512 of Intel, Zen 5     64       32
//
// Zen 4 executes operations of 512 bits as two halves, and so does Zen 5 in some laptops. avx512_bf16 does
// twice as many operations in bfloat16 as in float32, avx512_fp16 in float16; amx_bf16 does 1024 per cycle.
//
// Range of validity: x86-64 since Intel's Core and AMD's Zen. The clock is the highest that the kernel tells,
// all cores held to run at it; with wide operations or all cores at work they are slower. A virtual machine
// tells its nominal clock alone, so that a rate that turbo reached may lie above the peak. All cores of
// hybrid processors count as performance cores.

namespace lectern {

/// Of /proc/cpuinfo.
struct CpuDescription {
  struct Processor {
    int number, package, core;
  };

  std::string vendor, name;
  int family = 0, model = 0;
  std::vector<std::string> flags;  ///< sorted; of the first processor
  double hertz = 0;                ///< the highest clock
  std::vector<Processor> processors;

  bool has(std::string_view flag) const;
};

/// What is missing stays empty.
CpuDescription parse_cpuinfo(std::string_view text);

/// By one core. None for an unknown processor, and for a dtype that it has no units for.
std::optional<double> flops_per_cycle(const CpuDescription& processor, Dtype dtype);

/// Cores that so many threads can occupy: hyperthreads share one. Only processors that `usable` lists by
/// their numbers count, all if it is empty.
int occupied_cores(const CpuDescription& processor, int threads, const std::vector<int>& usable = {});

/// Operations per second of this machine's CPU with so many threads; none where flops_per_cycle is, and
/// where the clock is unknown.
std::optional<double> cpu_peak_flops(Dtype dtype, int threads);

}  // namespace lectern
