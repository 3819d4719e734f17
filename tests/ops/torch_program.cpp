#include "ops/torch_program.h"

#include <algorithm>

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "tensor/creation.h"

namespace lectern::test {

Expression variable(std::size_t number) {
  return {"t" + std::to_string(number), {number}, [number](const Variables& all) { return all[number]; }};
}

Expression apply(std::string_view text, const std::vector<Expression>& operands, const Compute& compute) {
  Expression applied{std::string(text), {}, [operands, compute](const Variables& all) {
                       std::vector<Tensor> values;
                       values.reserve(operands.size());
                       for (const Expression& operand : operands) values.push_back(operand.value(all));
                       return compute(values);
                     }};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string mark = "{" + std::to_string(i) + "}";
    for (std::size_t at = 0; (at = applied.text.find(mark, at)) != std::string::npos;) {
      applied.text.replace(at, mark.size(), operands[i].text);
      at += operands[i].text.size();
    }
    applied.uses.insert(applied.uses.end(), operands[i].uses.begin(), operands[i].uses.end());
  }
  return applied;
}

std::string Statement::text() const {
  return (without_gradients ? "with torch.no_grad(): " : "") +
         (defines ? "t" + std::to_string(*defines) + " = " : "") + expression.text;
}

void run(const Statement& statement, Variables& variables, std::optional<std::string>& error) {
  const GradModeGuard mode(!statement.without_gradients);
  try {
    const Tensor value = statement.expression.value(variables);
    if (!statement.defines) return;
    if (variables.size() <= *statement.defines) variables.resize(*statement.defines + 1);
    variables[*statement.defines] = value;
  } catch (const TensorError& refusal) {
    error = refusal.what();
    for (const Tensor& one : variables) {
      if (one.defined() && one.is_leaf()) one.mutable_grad() = {};
    }
  }
}

ProgramRun run(const Program& program) {
  ProgramRun result{{}, std::vector<std::optional<std::string>>(program.size())};
  for (std::size_t i = 0; i < program.size(); ++i) run(program[i], result.variables, result.errors[i]);
  return result;
}

Program without(const Program& program, std::size_t statement) {
  Program rest;
  std::vector<std::size_t> gone;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const bool depends = std::ranges::any_of(program[i].expression.uses, [&](std::size_t used) {
      return std::ranges::find(gone, used) != gone.end();
    });
    if (i != statement && !depends) {
      rest.push_back(program[i]);
    } else if (program[i].defines) {
      gone.push_back(*program[i].defines);
    }
  }
  return rest;
}

Tensor numbers(const Sizes& sizes, std::int64_t seed, Dtype dtype) {
  return (positions(sizes, seed, 7) - 3).to(dtype);
}

Tensor positions(const Sizes& sizes, std::int64_t seed, std::int64_t end) {
  const std::int64_t count = checked_numel("positions", sizes);
  return ((arange(count, {.dtype = int64}) * 37 + seed) % 1009 % end).reshape(sizes);
}

}  // namespace lectern::test
