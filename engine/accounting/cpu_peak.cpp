#include "accounting/cpu_peak.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <sched.h>

namespace lectern {
namespace {

constexpr double kAmxFlops = 1024;

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

template <typename Number>
Number parsed_number(std::string_view text, Number otherwise) {
  Number number{};
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc() ? number
                                                                                           : otherwise;
}

std::vector<std::string> sorted_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  std::ranges::sort(words);
  return words;
}

void read_entry(CpuDescription& processor, std::string_view key, std::string_view value) {
  if (key == "processor") {
    const int number = parsed_number(value, static_cast<int>(processor.processors.size()));
    processor.processors.push_back({number, 0, number});  // a core of its own, unless told otherwise
  } else if (key == "vendor_id") {
    processor.vendor = value;
  } else if (key == "model name") {
    processor.name = value;
  } else if (key == "cpu family") {
    processor.family = parsed_number(value, 0);
  } else if (key == "model") {
    processor.model = parsed_number(value, 0);
  } else if (key == "cpu MHz") {
    processor.hertz = std::max(processor.hertz, 1e6 * parsed_number(value, 0.0));
  } else if (key == "flags" && processor.flags.empty()) {
    processor.flags = sorted_words(value);
  } else if (key == "physical id" && !processor.processors.empty()) {
    processor.processors.back().package = parsed_number(value, 0);
  } else if (key == "core id" && !processor.processors.empty()) {
    processor.processors.back().core = parsed_number(value, processor.processors.back().number);
  }
}

template <std::size_t N>
bool is_among(const std::array<int, N>& models, int model) {
  return std::ranges::find(models, model) != models.end();
}

/// Bits of elements that Intel's units for fused multiply-add take per cycle.
int intel_unit_bits(const CpuDescription& processor) {
  constexpr std::array kEfficiencyCores{0xaf, 0xb6, 0xbe};  // without any performance cores
  constexpr std::array kClients{0x66, 0x7d, 0x7e, 0x8c, 0x8d, 0x97, 0x9a, 0xa7};
  constexpr int kSkylakeServer = 0x55;
  if (processor.family != 6)
    return processor.family > 6 && processor.family != 15 && processor.has("fma") ? 512 : 0;
  if (is_among(kEfficiencyCores, processor.model)) return 256;
  if (!processor.has("avx512f")) return 512;
  const auto named = [&](std::string_view part) { return processor.name.find(part) != std::string::npos; };
  const bool lesser_xeon =
      named("Bronze") || named("Silver") || (named("Gold 5") && !named("Gold 5122") && !named("Gold 5222"));
  const bool one_unit =
      is_among(kClients, processor.model) || (processor.model == kSkylakeServer && lesser_xeon);
  return one_unit ? 512 : 1024;
}

/// Likewise of AMD's, and of Hygon's, which are Zen.
int amd_unit_bits(const CpuDescription& processor) {
  constexpr int kZen = 23, kHygon = 24, kZen3 = 25, kZen5 = 26, kFirstZen2 = 0x30;
  switch (processor.family) {
    case kZen:
      return processor.model < kFirstZen2 ? 256 : 512;
    case kHygon:
      return 256;
    case kZen3:
      return 512;
    case kZen5: {
      const int range = processor.model >> 4;
      const bool of_a_laptop = range == 2 || range == 6;  // Strix Point, Krackan Point
      return processor.has("avx512f") && !of_a_laptop ? 1024 : 512;
    }
    default:
      return 0;
  }
}

int unit_bits(const CpuDescription& processor) {
  const int bits = processor.vendor == "GenuineIntel" ? intel_unit_bits(processor)
                   : processor.vendor == "AuthenticAMD" || processor.vendor == "HygonGenuine"
                       ? amd_unit_bits(processor)
                       : 0;
  if (bits == 0 || processor.has("fma")) return bits;
  return processor.has("avx") ? 256 : processor.has("sse2") ? 128 : 0;
}

std::string read_all(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// With the clock that the CPU may reach, where the kernel governs it.
CpuDescription describe_machine() {
  CpuDescription processor = parse_cpuinfo(read_all("/proc/cpuinfo"));
  const double highest =
      parsed_number(std::string_view(read_all("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")), 0.0);
  if (highest > 0) processor.hertz = 1e3 * highest;
  return processor;
}

std::vector<int> usable_processors() {
  std::vector<int> usable;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return usable;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) usable.push_back(i);
  }
  return usable;
}

}  // namespace

bool CpuDescription::has(std::string_view flag) const {
  return std::ranges::binary_search(flags, flag);
}

CpuDescription parse_cpuinfo(std::string_view text) {
  CpuDescription processor;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos)
      read_entry(processor, without_blanks(line.substr(0, colon)), without_blanks(line.substr(colon + 1)));
    at = end + 1;
  }
  return processor;
}

std::optional<double> flops_per_cycle(const CpuDescription& processor, Dtype dtype) {
  const double bits = unit_bits(processor);
  if (bits == 0) return {};
  const double single = 2 * bits / 32;
  switch (dtype) {
    case Dtype::float64:
      return single / 2;
    case Dtype::float32:
      return single;
    case Dtype::float16:
      return processor.has("avx512_fp16") ? std::optional(2 * single) : std::nullopt;
    case Dtype::bfloat16:
      if (processor.has("amx_bf16")) return kAmxFlops;
      return processor.has("avx512_bf16") ? std::optional(2 * single) : std::nullopt;
    default:
      return {};
  }
}

int occupied_cores(const CpuDescription& processor, int threads, const std::vector<int>& usable) {
  std::set<std::pair<int, int>> cores;
  for (const auto& [number, package, core] : processor.processors) {
    if (usable.empty() || std::ranges::find(usable, number) != usable.end()) cores.emplace(package, core);
  }
  return std::max(1, std::min(threads, static_cast<int>(cores.size())));
}

std::optional<double> cpu_peak_flops(Dtype dtype, int threads) {
  static const CpuDescription processor = describe_machine();
  const std::optional<double> per_cycle = flops_per_cycle(processor, dtype);
  if (!per_cycle || !(processor.hertz > 0)) return {};
  return *per_cycle * processor.hertz * occupied_cores(processor, threads, usable_processors());
}

}  // namespace lectern
