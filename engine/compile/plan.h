#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "compile/expression.h"
#include "kernels/fused.h"

namespace lectern::fusion {

/// Expressions to compute, each after what it reads, and which of them are results. An operand that is none
/// of them is in memory.
struct Cone {
  std::vector<std::shared_ptr<const Expression>> expressions;
  std::vector<bool> is_result;
  /// By expression and operand: the position of the operand among the expressions; -1: in memory or a number.
  std::vector<std::array<int, 3>> producers;
  /// Likewise: which of the different tensors in memory it is.
  std::vector<std::array<int, 3>> tensors;
};
Cone make_cone(std::span<const Storage> results);

/// Where a program's input comes from: operand `operand` of expression `expression`, or, if that is -1, the
/// elements of `expression` itself.
struct PlannedInput {
  int expression;
  int operand;
};

/// What is computed in one pass: a fused program, or one operation for which there is none.
struct PlannedPass {
  Device device = cpu;
  std::vector<int> members;
  std::vector<int> outputs;
  std::vector<PlannedInput> inputs, numbers;
  kernels::FusedProgram program;
  std::unique_ptr<kernels::FusedKernel> kernel;  ///< null: a reduction of its own
  std::vector<int> released;                     ///< expressions, no results, that no later pass reads
  std::int64_t bytes = 0;                        ///< moved: inputs once, outputs once
};

struct Plan {
  std::vector<PlannedPass> passes;
};

/// How to compute the expressions, in the fewest passes that the rules of groups.h allow.
Plan make_plan(const Cone& cone);

/// Plans by what they depend on: operations, shapes, strides, dtypes and device. Used from several threads.
/// Holds a limited number; beyond that it begins anew.
class PlanCache {
 public:
  /// The plan for these expressions, made on first use.
  std::shared_ptr<const Plan> find(const Cone& cone);
  std::int64_t made() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Plan>> plans_;
  std::int64_t made_ = 0;
};

}  // namespace lectern::fusion
