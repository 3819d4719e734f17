#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/cpu/isa.h"
#include "kernels/elementwise_table.h"
#include "tensor/dtype.h"

namespace lectern::kernels {

/// Elements of a block that passes through the scratch: three operands of 8 bytes fit the first-level cache.
inline constexpr std::int64_t kBlock = 1024;

/// The types in which the CPU computes, in the order in which tables have them.
inline constexpr std::size_t kComputeTypes = 3;
constexpr std::size_t compute_index(Dtype common) {
  return common == float64 ? 1 : is_floating_point(common) ? 0 : 2;
}
constexpr Dtype compute_dtype(Dtype common) {
  return common == float64 ? float64 : is_floating_point(common) ? float32 : int64;
}

/// out[i] = f(a[i]), out[i] = f(a[i], b[i]) and out[i] = f(a[i], b[i], c[i]) of contiguous elements of a
/// compute type. Out may be an operand unless it is streamed (kernels/cpu/streaming.h). An operation with the
/// result bool writes bytes.
using UnaryBlock = void (*)(void* out, bool stream, const void* a, std::int64_t count);
using BinaryBlock = void (*)(void* out, bool stream, const void* a, const void* b, std::int64_t count);
using TernaryBlock = void (*)(void* out, bool stream, const void* a, const void* b, const void* c,
                              std::int64_t count);

/// One operation in the forms for operands of which one is the same element for all.
struct BinaryBlocks {
  BinaryBlock each;       ///< f(a[i], b[i])
  BinaryBlock a_repeats;  ///< f(a[0], b[i])
  BinaryBlock b_repeats;  ///< f(a[i], b[0])
};

#define LECTERN_ROW(name, Functor, rule) +1
inline constexpr std::size_t kUnaryOperations = 0 LECTERN_UNARY_OPERATIONS(LECTERN_ROW);
inline constexpr std::size_t kBinaryOperations = 0 LECTERN_BINARY_OPERATIONS(LECTERN_ROW);
#undef LECTERN_ROW
#define LECTERN_ROW(name, Functor) +1
inline constexpr std::size_t kTernaryOperations = 0 LECTERN_TERNARY_OPERATIONS(LECTERN_ROW);
#undef LECTERN_ROW

/// Whether the result of an operation is bool.
#define LECTERN_ROW(name, Functor, rule) std::string_view(#rule) == "truth",
inline constexpr bool kUnaryTruth[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
inline constexpr bool kBinaryTruth[] = {LECTERN_BINARY_OPERATIONS(LECTERN_ROW)};
#undef LECTERN_ROW

/// By operation and compute type; null where an operation has none (those of the rule `real` compute in no
/// integers, those of `bits` in nothing else).
struct ElementBlocks {
  UnaryBlock unary[kUnaryOperations][kComputeTypes];
  BinaryBlocks binary[kBinaryOperations][kComputeTypes];
  TernaryBlock ternary[kTernaryOperations][kComputeTypes];
};

LECTERN_CPU_FAMILY(ElementBlocks, element_blocks)

}  // namespace lectern::kernels
