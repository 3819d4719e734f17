#pragma once

#include <cstdint>

#include "kernels/compute_type.h"
#include "kernels/vectorize.h"

// The inner loops have per-ISA variants: every file in kernels/cpu/per_isa/ is compiled for the baseline of
// the platform (portable) and, on x86-64, for the psABI levels v3 (AVX2, FMA) and v4 (AVX-512), unless
// LECTERN_INSTRUCTION_SETS of CMake names fewer. Each file fills a struct of function pointers in namespace
// LECTERN_ISA, which is named for the instruction set. All variants give the same bits.
//
// What such a file includes must be always inlined (LECTERN_HD) or a template over a type of the file's own
// namespace. Of any other function the linker would keep one copy for all instruction sets, perhaps one that
// this processor lacks.

namespace lectern::kernels::cpu {

enum class Isa : std::uint8_t { portable, v3, v4 };

/// The instruction set in use: the processor's best, or less if LECTERN_CPU=v3 or LECTERN_CPU=portable is in
/// the environment. Chosen once.
Isa isa();

/// Whether it is compiled in and supported here.
bool has_isa(Isa isa);

/// Declares a struct of functions that every instruction set has, and the functions that give one of them,
/// which isa.cpp defines:
///   LECTERN_PER_ISA(PlaneKernels, plane_kernels)
#define LECTERN_PER_ISA(Type, name)          \
  namespace portable {                       \
  extern const Type name;                    \
  }                                          \
  namespace v3 {                             \
  extern const Type name;                    \
  }                                          \
  namespace v4 {                             \
  extern const Type name;                    \
  }                                          \
  const Type& name(Isa which);               \
  inline const Type& name() {                \
    static const Type& chosen = name(isa()); \
    return chosen;                           \
  }

/// A struct of functions for each real compute type.
template <template <typename> typename Functions>
struct RealFunctions {
  Functions<float> floats;
  Functions<double> doubles;

  template <RealComputeType T>
  const Functions<T>& get() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return floats;
    } else {
      return doubles;
    }
  }
};

}  // namespace lectern::kernels::cpu
