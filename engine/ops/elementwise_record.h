#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "autograd/record.h"
#include "kernels/elementwise_gradients.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

// How the rows of kernels/elementwise_table.h are recorded. What the gradient reads is decided by the row; an
// operand that is changed in place is copied first when its old numbers are among that.

namespace lectern {

/// Shape and dtype of an operand where they are not those of the result: its gradient is brought back to
/// them.
class OperandForm {
 public:
  OperandForm() = default;
  OperandForm(const Tensor& operand, const Tensor& result);
  OperandForm(const Scalar&, const Tensor&) {}

  /// The gradient of the broadcast and promoted operand as that of the operand.
  Tensor bring_back(const Tensor& gradient) const;

 private:
  struct Form {
    Sizes sizes;
    Dtype dtype;
    Device device;
  };
  std::unique_ptr<const Form> form_;  ///< null: those of the result, as nearly always
};

/// An operand that is kept: a tensor, or a number.
class SavedOperand {
 public:
  SavedOperand() = default;
  explicit SavedOperand(const Tensor& tensor) : tensor_(tensor) {}
  explicit SavedOperand(const Scalar& number) : number_(number) {}
  /// Undefined when nothing was kept.
  Tensor get() const;

 private:
  autograd::Saved tensor_;
  std::optional<Scalar> number_;
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

/// What is to be recorded of an operation; made before it runs, since in place it changes `a`.
class UnaryRecord {
 public:
  /// Nothing, when no gradient is asked for.
  UnaryRecord(kernels::Unary operation, const Tensor& a, bool in_place = false);
  /// `out` is the result.
  void made(std::string_view name, const Tensor& out);
  /// The operand is.
  void changed(std::string_view name);
  bool is_recorded() const { return formula_.has_value(); }

 private:
  void finish(const Tensor& out);

  const Tensor& a_;
  std::optional<UnaryFormula> formula_;
};

template <typename A, typename B>
class BinaryRecord {
 public:
  BinaryRecord(kernels::Binary operation, const A& a, const B& b, bool in_place = false);
  void made(std::string_view name, const Tensor& out);
  void changed(std::string_view name);
  bool is_recorded() const { return formula_.has_value(); }

 private:
  void finish(const Tensor& out);

  const A& a_;
  const B& b_;
  std::optional<BinaryFormula> formula_;
};

}  // namespace lectern
