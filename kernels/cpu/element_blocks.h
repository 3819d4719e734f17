#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/dtype.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/streaming.h"
#include "kernels/elementwise_table.h"

namespace lectern::kernels::cpu {

/// Elements of a block in the scratch buffer: three operands of 8 bytes fit the L1 cache.
inline constexpr std::int64_t kBlock = 1024;

/// The CPU's compute types, in table order.
inline constexpr std::size_t kComputeTypes = 3;
constexpr std::size_t compute_index(Dtype common) {
  return common == float64 ? 1 : is_floating_point(common) ? 0 : 2;
}

/// out[i] = f(in[0][i], …) for contiguous elements of a compute type, f having one to three operands. Out may
/// be an operand unless streamed. Operations whose result is bool write bytes.
using ElementBlock = void (*)(void* out, Access access, const void* const* in, std::int64_t count);

/// The variants of a binary operation: neither or one operand repeats one element.
struct BinaryBlocks {
  ElementBlock each;        ///< f(a[i], b[i])
  ElementBlock repeats[2];  ///< f(a[0], b[i]), f(a[i], b[0])
};

inline constexpr std::size_t kUnaryOperations = 0 LECTERN_UNARY_OPERATIONS(LECTERN_COUNT);
inline constexpr std::size_t kBinaryOperations = 0 LECTERN_BINARY_OPERATIONS(LECTERN_COUNT);
inline constexpr std::size_t kTernaryOperations = 0 LECTERN_TERNARY_OPERATIONS(LECTERN_COUNT);

/// Whether the result of an operation is bool.
#define LECTERN_ROW(name, Functor, rule, autocast) std::string_view(#rule) == "predicate",
inline constexpr bool kIsUnaryPredicate[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
inline constexpr bool kIsBinaryPredicate[] = {LECTERN_BINARY_OPERATIONS(LECTERN_ROW)};
#undef LECTERN_ROW

/// By operation and compute type; null where unsupported (the rule `real` excludes integers, `bits` all other
/// types).
struct ElementBlocks {
  ElementBlock unary[kUnaryOperations][kComputeTypes];
  BinaryBlocks binary[kBinaryOperations][kComputeTypes];
  ElementBlock ternary[kTernaryOperations][kComputeTypes];
};

LECTERN_PER_ISA(ElementBlocks, element_blocks)

}  // namespace lectern::kernels::cpu
