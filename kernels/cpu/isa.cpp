#include "kernels/cpu/isa.h"

#include <cstdlib>
#include <string_view>

namespace lectern::kernels::cpu {

bool has_isa(Isa isa) {
#ifdef __x86_64__
  // The newest features of each level, by names that every compiler knows.
  [[maybe_unused]] const bool v3 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  [[maybe_unused]] const bool v4 = v3 && __builtin_cpu_supports("avx512f") &&
                                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  LECTERN_WITH_V3(if (isa == Isa::v3) return v3;)
  LECTERN_WITH_V4(if (isa == Isa::v4) return v4;)
  return isa == Isa::portable;
}

Isa isa() {
  static const Isa chosen = [] {
    const char* wanted = std::getenv("LECTERN_CPU");
    const std::string_view name = wanted == nullptr ? "" : wanted;
    if (name != "portable" && name != "v3" && has_isa(Isa::v4)) return Isa::v4;
    if (name != "portable" && has_isa(Isa::v3)) return Isa::v3;
    return Isa::portable;
  }();
  return chosen;
}

}  // namespace lectern::kernels::cpu
