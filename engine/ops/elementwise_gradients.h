#pragma once

#include "kernels/elementwise_gradients.h"
#include "tensor/tensor.h"

// The gradients of the rows of kernels/elementwise_table.h, for ops/elementwise.cpp to record.
// kernels::gradient_reads() says what is computed and what must be saved for it. Computing counts 1
// floating-point operation per element of grad, and the bytes read and written; a C++ scalar operand is read
// as a float64 or int64.

namespace lectern {

/// grad, the gradient of the result, times the derivative with respect to the operand. `saved` is the operand
/// or the result, whichever the row reads, else undefined. Has grad's dtype and shape.
Tensor gradient(kernels::Unary operation, const Tensor& grad, const Tensor& saved);

/// The same with respect to one of two operands. Operands that the row does not read may be undefined; the
/// others are broadcast to the shape of grad and converted to its dtype. The gradient has that shape: the
/// caller sums it to the operand's.
Tensor gradient(kernels::Binary operation, kernels::Side side, const Tensor& grad, const Tensor& a,
                const Tensor& b);

}  // namespace lectern
