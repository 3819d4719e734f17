#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "autograd/record.h"
#include "kernels/elementwise_gradients.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

// The gradients of the rows of kernels/elementwise_table.h, and their recording. kernels::gradient_reads()
// says what a row computes and what must be saved for it; an operand changed in place is copied first if that
// includes its old values. Computing counts 1 floating-point operation per element of grad, and the bytes
// read and written; a C++ scalar operand is read as a float64 or int64.

namespace lectern {

/// grad, the gradient of the result, times the derivative with respect to the operand. `saved` is the operand
/// or the result, whichever the row reads, else undefined. Has grad's dtype and shape.
Tensor gradient(kernels::Unary operation, const Tensor& grad, const Tensor& saved);

/// The same with respect to one of two operands. Operands that the row does not read may be undefined; the
/// others are broadcast to the shape of grad and converted to its dtype. The gradient has that shape: the
/// caller sums it to the operand's.
Tensor gradient(kernels::Binary operation, kernels::Side side, const Tensor& grad, const Tensor& a,
                const Tensor& b);

/// An operand's shape and dtype where they differ from the result's: its gradient is converted back to them.
class OperandForm {
 public:
  OperandForm() = default;
  OperandForm(const Tensor& operand, const Tensor& result);
  OperandForm(const Scalar&, const Tensor&) {}

  /// Reduces and converts the gradient of the broadcast, promoted operand to that of the operand.
  Tensor bring_back(const Tensor& gradient) const;

 private:
  struct Form {
    Sizes sizes;
    Dtype dtype;
    Device device;
  };
  std::unique_ptr<const Form> form_;  ///< null: the result's, as nearly always
};

/// A saved operand: a tensor or a scalar.
class SavedOperand {
 public:
  SavedOperand() = default;
  explicit SavedOperand(const Tensor& tensor) : tensor_(tensor) {}
  explicit SavedOperand(const Scalar& scalar) : scalar_(scalar) {}
  /// Undefined when nothing was saved.
  Tensor get() const;

 private:
  autograd::Saved tensor_;
  std::optional<Scalar> scalar_;
};

struct UnaryFormula {
  kernels::Unary operation;
  autograd::Saved saved;
  OperandForm form;

  void operator()(const Tensor& grad, autograd::Gradients& gradients) const;
};

struct BinaryFormula {
  kernels::Binary operation;
  SavedOperand a, b;
  OperandForm a_form, b_form;

  void operator()(const Tensor& grad, autograd::Gradients& gradients) const;
};

/// Records an operation; made before it runs, since an in-place one changes `a`.
class UnaryRecord {
 public:
  /// Records nothing when no gradient is needed.
  UnaryRecord(kernels::Unary operation, const Tensor& a, bool in_place = false);
  /// `out` is the result: `a` itself when it was changed in place.
  void finish(std::string_view name, const Tensor& out);
  bool is_recorded() const { return formula_.has_value(); }

 private:
  const Tensor& a_;
  bool in_place_;
  std::optional<UnaryFormula> formula_;
};

template <typename A, typename B>
class BinaryRecord {
 public:
  BinaryRecord(kernels::Binary operation, const A& a, const B& b, bool in_place = false);
  void finish(std::string_view name, const Tensor& out);
  bool is_recorded() const { return formula_.has_value(); }

 private:
  const A& a_;
  const B& b_;
  bool in_place_;
  std::optional<BinaryFormula> formula_;
};

}  // namespace lectern
