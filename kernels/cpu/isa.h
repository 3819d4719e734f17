#pragma once

#include <cstdint>

#include "kernels/vectorize.h"

// The inner loops are compiled once for each instruction set: every file in kernels/cpu/families/ for the
// baseline of the platform (portable) and, on x86-64, for the levels v3 (AVX2, FMA) and v4 (AVX-512) of the
// psABI, unless LECTERN_INSTRUCTION_SETS of CMake names fewer. Such a family is a struct of function
// pointers; a file fills one in namespace LECTERN_ISA, which names what it is compiled for. All of them give
// the same bits.
//
// What a family file includes has to be always inlined (LECTERN_HD) or a template over a type of the file's
// own namespace. Of any other function the linker would keep one copy for all instruction sets, perhaps one
// that this processor lacks.

namespace lectern::kernels {

enum class Isa : std::uint8_t { portable, v3, v4 };

/// What this process uses: the best that the processor has; less when LECTERN_CPU=v3 or LECTERN_CPU=portable
/// is in the environment. Chosen once.
Isa isa();

/// Whether it was compiled and the processor has it.
bool has_isa(Isa isa);

/// Code that stands only where the instruction set is compiled.
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

/// Declares a family and the function of its name that gives the one to use:
///   LECTERN_CPU_FAMILY(PlaneKernels, plane_kernels)
#define LECTERN_CPU_FAMILY(Type, family)                      \
  namespace portable {                                        \
  extern const Type family;                                   \
  }                                                           \
  LECTERN_WITH_V3(namespace v3 { extern const Type family; }) \
  LECTERN_WITH_V4(namespace v4 { extern const Type family; }) \
  inline const Type& family([[maybe_unused]] Isa which) {     \
    LECTERN_WITH_V4(if (which == Isa::v4) return v4::family;) \
    LECTERN_WITH_V3(if (which == Isa::v3) return v3::family;) \
    return portable::family;                                  \
  }                                                           \
  inline const Type& family() {                               \
    static const Type& chosen = family(isa());                \
    return chosen;                                            \
  }

}  // namespace lectern::kernels
