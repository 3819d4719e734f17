#include "kernels/cpu/isa.h"

#include <cstdlib>
#include <string_view>

namespace lectern::kernels {

bool has_isa(Isa isa) {
#ifdef LECTERN_X86_LEVELS
  if (isa == Isa::v3) return __builtin_cpu_supports("x86-64-v3") != 0;
  if (isa == Isa::v4) return __builtin_cpu_supports("x86-64-v4") != 0;
#endif
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

}  // namespace lectern::kernels
