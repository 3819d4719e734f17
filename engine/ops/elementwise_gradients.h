#pragma once

#include "kernels/elementwise_gradients.h"
#include "tensor/tensor.h"

// The gradients of the rows of kernels/elementwise_table.h, for the graph that ops/elementwise.cpp records.
// kernels::gradient_reads() says what there is to compute and what has to be kept for it. What is computed
// counts 1 floating-point operation per element of grad, and the bytes of what is read and written; a number
// of C++ that the operation was given is read as a float64 or int64.

namespace lectern {

/// grad, the gradient of the result, times the derivative with regard to the operand. `saved` is the operand
/// or the result, whichever the row reads, else undefined. Of the dtype and shape of grad.
Tensor gradient(kernels::Unary operation, const Tensor& grad, const Tensor& saved);

/// The same with regard to one of two operands. Operands that the row does not read may be undefined; those
/// that it reads are broadcast to the shape of grad, and converted to its dtype. The gradient has that shape:
/// summing it to the operand's is the caller's.
Tensor gradient(kernels::Binary operation, kernels::Side side, const Tensor& grad, const Tensor& a,
                const Tensor& b);

}  // namespace lectern
