#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise_table.h"
#include "tensor/dtype.h"

// Elementwise operations, copies and conversions on arrays in the CPU's memory. Nothing is allocated,
// whatever the strides and dtypes: blocks that are not contiguous or of another dtype pass through a scratch
// in the first-level cache. Above 32,768 elements all OpenMP threads take part; results do not depend on
// their number. O(elements).

namespace lectern::kernels {

/// Of the dtype of a result; see kernels/elementwise_table.h.
enum class DtypeRule : std::uint8_t { same, number, integer, bits, floating, real, truth };

enum class Unary : std::uint8_t {
#define LECTERN_ROW(name, Functor, rule) name,
  LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
};

enum class Binary : std::uint8_t {
#define LECTERN_ROW(name, Functor, rule) name,
  LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
};

enum class Ternary : std::uint8_t {
#define LECTERN_ROW(name, Functor) name,
  LECTERN_TERNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
};

/// Which operand of a binary operation.
enum class Side : std::uint8_t { a, b };

/// An array to read or to write. Strides are in elements, one per dimension of the sizes that come with it,
/// none negative; 0 repeats an element (of an array that is read).
struct Array {
  void* data;
  Dtype dtype;
  const std::int64_t* strides;
  bool number = false;  ///< to read: one element for all, in the host's memory; its strides are 0
};

/// out = operation(a), computed in `common`: `a` is converted to it first, the result from it to out's dtype.
/// Out may be an operand, with the same strides; it must not overlap one otherwise.
void apply(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a);

/// out = operation(a, b), likewise. Operations of the rule `truth` give bool before the conversion to out's
/// dtype.
void apply(Binary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a, const Array& b);

/// out = operation(a, b, c), likewise.
void apply(Ternary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a, const Array& b, const Array& c);

/// out = the gradient with regard to an operand, computed in `common`, which is floating point. `in` is the
/// gradient of the result and after it what gradient_reads() names (kernels/elementwise_gradients.h), in that
/// order; nothing is there for `none`, `zero` and `pass`.
void apply_gradient(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                    std::span<const Array> in);
void apply_gradient(Binary operation, Side side, Dtype common, std::span<const std::int64_t> sizes,
                    const Array& out, std::span<const Array> in);

/// The same as apply() for arrays of `numel` elements that lie one after the other, and numbers, in the least
/// time. The strides are not looked at.
void apply_contiguous(Unary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a);
void apply_contiguous(Binary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a,
                      const Array& b);

/// Whether an element is 0, of an array of integers or bool.
bool contains_zero(std::span<const std::int64_t> sizes, const Array& array);

/// out = in, converted to out's dtype: floating numbers to the nearest, ties to even; to integers by
/// truncation (beyond their range it is undefined which); integers to narrower ones modulo 2^bits; to bool
/// whether it is not 0.
void copy(std::span<const std::int64_t> sizes, const Array& out, const Array& in);

/// The element at `in` as another dtype at `out`; the conversion of `copy`.
void convert_element(Dtype out_dtype, void* out, Dtype in_dtype, const void* in);

}  // namespace lectern::kernels
