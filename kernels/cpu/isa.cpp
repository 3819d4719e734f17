#include "kernels/cpu/isa.h"

#include <cstdlib>
#include <string_view>

#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/gradient_blocks.h"
#include "kernels/cpu/integer_product.h"
#include "kernels/cpu/moment_blocks.h"
#include "kernels/cpu/optimizer_blocks.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/pool_lines.h"
#include "kernels/cpu/random_blocks.h"
#include "kernels/cpu/reduction_blocks.h"
#include "kernels/cpu/row_kernels.h"

// The only file that knows which instruction sets are compiled in.

/// Code for an instruction set, if it is.
#ifdef LECTERN_HAS_V3
#define LECTERN_WITH_V3(...) __VA_ARGS__
#else
#define LECTERN_WITH_V3(...)
#endif
#ifdef LECTERN_HAS_V4
#define LECTERN_WITH_V4(...) __VA_ARGS__
#else
#define LECTERN_WITH_V4(...)
#endif

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

#define LECTERN_CHOICE(name)                                   \
  decltype(portable::name)& name([[maybe_unused]] Isa which) { \
    LECTERN_WITH_V4(if (which == Isa::v4) return v4::name;)    \
    LECTERN_WITH_V3(if (which == Isa::v3) return v3::name;)    \
    return portable::name;                                     \
  }
LECTERN_CHOICE(conversions)
LECTERN_CHOICE(element_blocks)
LECTERN_CHOICE(gradient_blocks)
LECTERN_CHOICE(integer_product)
LECTERN_CHOICE(moment_blocks)
LECTERN_CHOICE(optimizer_blocks)
LECTERN_CHOICE(plane_kernels)
LECTERN_CHOICE(pool_line_kernels)
LECTERN_CHOICE(random_blocks)
LECTERN_CHOICE(reduction_kernels)
LECTERN_CHOICE(row_kernels)

}  // namespace lectern::kernels::cpu
