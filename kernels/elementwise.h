#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "base/dtype.h"
#include "kernels/elementwise_table.h"
#include "kernels/geometry.h"
#include "kernels/gradient_reads.h"
#include "kernels/kernel.h"

// Elementwise operations, copies and conversions. O(elements).
//
// On the CPU nothing is allocated, whatever the strides and dtypes: blocks that are not contiguous or of
// another dtype pass through a scratch buffer in the L1 cache. Uses all OpenMP threads above 32,768 elements;
// results do not depend on the thread count.
//
// A GPU's functors are the CPU's, compiled without fusing multiplications and additions: the bits are the
// CPU's, except that library functions and the error function may differ in the last ones, and activations of
// 16-bit floats by one unit in the last place (kernels/cuda/rough_functors.h).

namespace lectern::kernels {

/// A result's dtype; see kernels/elementwise_table.h.
enum class DtypeRule : std::uint8_t { same, any_numeric, integer, bits, floating, real, predicate };

enum class Unary : std::uint8_t { LECTERN_UNARY_OPERATIONS(LECTERN_NAME) };

enum class Binary : std::uint8_t { LECTERN_BINARY_OPERATIONS(LECTERN_NAME) };

enum class Ternary : std::uint8_t { LECTERN_TERNARY_OPERATIONS(LECTERN_NAME) };

/// An array to read or to write. Strides are in elements, one per dimension of the accompanying sizes, none
/// negative; 0 repeats an element (of an array that is read).
struct Array {
  void* data;
  Dtype dtype;
  const std::int64_t* strides;
  bool is_scalar = false;  ///< to read: a scalar in host memory; its strides are 0
};

/// The geometry of arrays of these sizes.
template <std::same_as<Array>... Arrays>
Geometry make_geometry(std::span<const std::int64_t> sizes, const Arrays&... arrays) {
  const ArrayStrides strides[] = {{arrays.strides, element_size(arrays.dtype)}...};
  return make_geometry(sizes, strides);
}

/// out = operation(a), computed in `common`: `a` is converted to it first, the result from it to out's dtype.
/// Out may be an operand, with the same strides; it must not overlap one otherwise.
LECTERN_KERNEL(void, apply_unary, Unary operation, Dtype common, std::span<const std::int64_t> sizes,
               const Array& out, const Array& a);

/// out = operation(a, b), likewise. Predicates give bool before the conversion to out's dtype.
LECTERN_KERNEL(void, apply_binary, Binary operation, Dtype common, std::span<const std::int64_t> sizes,
               const Array& out, const Array& a, const Array& b);

/// out = operation(a, b, c), likewise.
LECTERN_KERNEL(void, apply_ternary, Ternary operation, Dtype common, std::span<const std::int64_t> sizes,
               const Array& out, const Array& a, const Array& b, const Array& c);

/// out = the gradient with respect to an operand, computed in `common`, which is floating point. `in` is the
/// result's gradient, then what gradient_reads() names (kernels/elementwise_gradients.h), in that order;
/// `none`, `zero` and `pass` are not supported.
LECTERN_KERNEL(void, apply_unary_gradient, Unary operation, Dtype common, std::span<const std::int64_t> sizes,
               const Array& out, std::span<const Array> in);
LECTERN_KERNEL(void, apply_binary_gradient, Binary operation, Side side, Dtype common,
               std::span<const std::int64_t> sizes, const Array& out, std::span<const Array> in);

namespace cpu {

/// The same as apply_unary() and apply_binary() for contiguous arrays of `numel` elements, and scalars, with
/// the least overhead. The strides are ignored.
void apply_contiguous(Unary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a);
void apply_contiguous(Binary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a,
                      const Array& b);

/// Whether an array of integers or bool contains 0.
bool contains_zero(std::span<const std::int64_t> sizes, const Array& array);

}  // namespace cpu

/// out = in, converted to out's dtype: floating point to nearest, ties to even; to integers by truncation
/// (unspecified when out of range); integers to narrower ones modulo 2^bits; to bool whether it is not 0.
LECTERN_KERNEL(void, copy, std::span<const std::int64_t> sizes, const Array& out, const Array& in);

/// The element at `in` as another dtype at `out`; the conversion of `copy`.
void convert_element(Dtype out_dtype, void* out, Dtype in_dtype, const void* in);

}  // namespace lectern::kernels
