#pragma once

#include <cstdint>
#include <span>

#include "kernels/elementwise.h"

// Elementwise operations, copies and conversions on arrays on the current CUDA device, with the semantics of
// kernels/elementwise.h; operands may be scalars in host memory. Work is enqueued on the current stream. The
// functors are the CPU's, compiled without fusing multiplications and additions: the bits are the CPU's,
// except that library functions may differ in the last one.

namespace lectern::kernels::cuda {

void apply(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a);
void apply(Binary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a, const Array& b);

void apply(Ternary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a, const Array& b, const Array& c);
void apply_gradient(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                    std::span<const Array> in);
void apply_gradient(Binary operation, Side side, Dtype common, std::span<const std::int64_t> sizes,
                    const Array& out, std::span<const Array> in);

/// Both arrays are on the device, or `in` is a scalar.
void copy(std::span<const std::int64_t> sizes, const Array& out, const Array& in);

}  // namespace lectern::kernels::cuda
