#include "accounting/cpu_peak.h"

#include <gtest/gtest.h>

#include "accounting/memory_bandwidth.h"
#include "device/counters.h"
#include "device/memory.h"

namespace lectern {
namespace {

constexpr const char* kHaswell = "fpu sse sse2 avx f16c fma bmi1 avx2";
constexpr const char* kSkylakeX = "sse2 avx fma avx2 avx512f avx512dq avx512bw avx512vl";
constexpr const char* kSapphireRapids =
    "sse2 avx fma avx2 avx512f avx512_bf16 avx512_fp16 amx_bf16 amx_tile amx_int8";
constexpr const char* kZen4 = "sse2 avx fma avx2 avx512f avx512bw avx512_bf16";

/// /proc/cpuinfo of a processor whose cores have two hyperthreads each.
std::string cpuinfo(const std::string& vendor, int family, int model, const std::string& name,
                    const std::string& flags, int cores = 1, int packages = 1) {
  std::string text;
  for (int i = 0; i < 2 * cores * packages; ++i) {
    text += "processor\t: " + std::to_string(i) + "\nvendor_id\t: " + vendor +
            "\ncpu family\t: " + std::to_string(family) + "\nmodel\t\t: " + std::to_string(model) +
            "\nmodel name\t: " + name + "\ncpu MHz\t\t: " + std::to_string(2000 + 100 * (i % 2)) +
            ".125\nphysical id\t: " + std::to_string(i / cores % packages) +
            "\ncore id\t\t: " + std::to_string(i % cores) + "\nflags\t\t: " + flags +
            "\npower management:\n\n";
  }
  return text;
}

CpuDescription intel(int model, const std::string& name, const std::string& flags) {
  return parse_cpuinfo(cpuinfo("GenuineIntel", 6, model, name, flags));
}
CpuDescription amd(int family, int model, const std::string& flags) {
  return parse_cpuinfo(cpuinfo("AuthenticAMD", family, model, "AMD EPYC", flags));
}

TEST(CpuPeak, ReadsWhatTheKernelTells) {
  const CpuDescription described = parse_cpuinfo(
      cpuinfo("GenuineIntel", 6, 63, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", kHaswell, 12, 2));
  EXPECT_EQ(described.vendor, "GenuineIntel");
  EXPECT_EQ(described.name, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz");
  EXPECT_EQ(described.family, 6);
  EXPECT_EQ(described.model, 63);
  EXPECT_EQ(described.hertz, 2100.125e6) << "the highest clock";
  EXPECT_EQ(described.processors.size(), 48U);
  EXPECT_TRUE(described.has("avx2"));
  EXPECT_FALSE(described.has("avx512f"));
}

TEST(CpuPeak, OfIntelsUnits) {
  const CpuDescription haswell = intel(63, "Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", kHaswell);
  EXPECT_EQ(flops_per_cycle(haswell, float32), 32);
  EXPECT_EQ(flops_per_cycle(haswell, float64), 16);
  EXPECT_FALSE(flops_per_cycle(haswell, bfloat16));
  EXPECT_FALSE(flops_per_cycle(haswell, int32));
  EXPECT_EQ(flops_per_cycle(intel(85, "Intel(R) Core(TM) i9-7900X CPU @ 3.30GHz", kSkylakeX), float32), 64);
  EXPECT_EQ(flops_per_cycle(intel(85, "Intel(R) Xeon(R) Silver 4114 CPU @ 2.20GHz", kSkylakeX), float32), 32);
  EXPECT_EQ(flops_per_cycle(intel(85, "Intel(R) Xeon(R) Gold 5118 CPU", kSkylakeX), float64), 16);
  EXPECT_EQ(flops_per_cycle(intel(85, "Intel(R) Xeon(R) Gold 5122 CPU", kSkylakeX), float64), 32);
  EXPECT_EQ(flops_per_cycle(intel(140, "11th Gen Intel(R) Core(TM) i7-1165G7", kSkylakeX), float32), 32);
  EXPECT_EQ(flops_per_cycle(intel(190, "Intel(R) N100", kHaswell), float32), 16);
  EXPECT_EQ(flops_per_cycle(intel(42, "Sandy Bridge", "sse2 avx"), float32), 16);
  EXPECT_EQ(flops_per_cycle(intel(26, "Nehalem", "sse2"), float32), 8);
}

TEST(CpuPeak, OfUnitsForSmallFormats) {
  const CpuDescription rapids = intel(143, "Intel(R) Xeon(R) Platinum 8480+", kSapphireRapids);
  EXPECT_EQ(flops_per_cycle(rapids, float32), 64);
  EXPECT_EQ(flops_per_cycle(rapids, float16), 128);
  EXPECT_EQ(flops_per_cycle(rapids, bfloat16), 1024);
  EXPECT_EQ(flops_per_cycle(amd(25, 17, kZen4), bfloat16), 64);
  EXPECT_FALSE(flops_per_cycle(amd(25, 17, kZen4), float16));
}

TEST(CpuPeak, OfAmdsUnits) {
  EXPECT_EQ(flops_per_cycle(amd(23, 1, kHaswell), float32), 16) << "Zen";
  EXPECT_EQ(flops_per_cycle(amd(23, 49, kHaswell), float32), 32) << "Zen 2";
  EXPECT_EQ(flops_per_cycle(amd(25, 1, kHaswell), float32), 32) << "Zen 3";
  EXPECT_EQ(flops_per_cycle(amd(25, 17, kZen4), float32), 32) << "Zen 4: in halves";
  EXPECT_EQ(flops_per_cycle(amd(26, 2, kZen4), float32), 64) << "Zen 5";
  EXPECT_EQ(flops_per_cycle(amd(26, 0x24, kZen4), float32), 32) << "Zen 5 of a laptop";
  EXPECT_EQ(flops_per_cycle(amd(26, 2, kHaswell), float64), 16) << "Zen 5, its AVX-512 switched off";
  EXPECT_FALSE(flops_per_cycle(amd(21, 2, "sse2 avx fma"), float32)) << "before Zen";
}

TEST(CpuPeak, IsUnknownRatherThanGuessed) {
  for (const std::string& text : {std::string(), std::string("\n:\n::\nflags:\nmodel : x\ncpu MHz : fast\n"),
                                  cpuinfo("CentaurHauls", 7, 11, "VIA", kHaswell),
                                  std::string("processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\n"
                                              "CPU implementer\t: 0x41\n")}) {
    const CpuDescription described = parse_cpuinfo(text);
    EXPECT_FALSE(flops_per_cycle(described, float32)) << text;
    EXPECT_GE(occupied_cores(described, 8), 1);
  }
}

TEST(CpuPeak, HyperthreadsShareACore) {
  const CpuDescription described = parse_cpuinfo(cpuinfo("GenuineIntel", 6, 63, "", kHaswell, 4, 2));
  EXPECT_EQ(occupied_cores(described, 16), 8);
  EXPECT_EQ(occupied_cores(described, 3), 3);
  EXPECT_EQ(occupied_cores(described, 16, {0, 8}), 1) << "both of one core";
  EXPECT_EQ(occupied_cores(described, 16, {0, 1}), 2);
  EXPECT_EQ(occupied_cores(parse_cpuinfo("processor : 0\n\nprocessor : 1\n"), 4), 2)
      << "where the kernel tells of no cores, each processor is one";
}

TEST(MemoryBandwidth, IsNoTensorsAffair) {
  const std::int64_t allocated = max_memory_allocated(), reserved = max_memory_reserved();
  const Counters spent = counters();
  const auto bandwidth = measure_memory_bandwidth(2);
  if (bandwidth) {
    EXPECT_GT(*bandwidth, 1e8);
    EXPECT_LT(*bandwidth, 1e14);
  }
  EXPECT_EQ(max_memory_allocated(), allocated);
  EXPECT_EQ(max_memory_reserved(), reserved);
  EXPECT_EQ(counters().bytes, spent.bytes);
}

}  // namespace
}  // namespace lectern
