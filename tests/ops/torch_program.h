#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

// Programs that are written twice: what a statement does with our tensors, and its text for PyTorch
// (torch_reference.py runs it).

namespace lectern::test {

/// t0, t1, …; undefined until a statement has made one.
using Variables = std::vector<Tensor>;

struct Expression {
  std::string text;
  std::vector<std::size_t> uses;  ///< variables
  std::function<Tensor(const Variables&)> value;
};

Expression variable(std::size_t number);

/// In `text`, {0}, {1}, … stand for the operands.
using Compute = std::function<Tensor(const std::vector<Tensor>& operands)>;
Expression apply(std::string_view text, const std::vector<Expression>& operands, const Compute& compute);

struct Statement {
  Expression expression;
  std::optional<std::size_t> defines = {};  ///< a variable
  bool without_gradients = false;           ///< under NoGradGuard
  /// An error is as right as a result: operands overlap (PyTorch gets a copy of one), or what was saved for a
  /// gradient was
  bool may_refuse = false;

  std::string text() const;
};

using Program = std::vector<Statement>;

/// What our tensors made of it.
struct ProgramRun {
  Variables variables;
  std::vector<std::optional<std::string>> errors;  ///< one for each statement
};

/// As torch_reference.py does: an error ends a statement, not the program, and takes all gradients away, of
/// which it may have left a part.
ProgramRun run(const Program& program);
void run(const Statement& statement, Variables& variables, std::optional<std::string>& error);

/// Without the statement, and those that use what it defines.
Program without(const Program& program, std::size_t statement);

// Functions that both languages have.

/// Whole numbers from -3 to 3.
Tensor numbers(const Sizes& sizes, std::int64_t seed, Dtype dtype);
/// Whole numbers from 0 to below `end`, of int64.
Tensor positions(const Sizes& sizes, std::int64_t seed, std::int64_t end);

}  // namespace lectern::test
