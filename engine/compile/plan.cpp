#include "compile/plan.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "compile/groups.h"

namespace lectern::fusion {
namespace {

using kernels::FusedOperand;
using kernels::FusedProgram;
using kernels::FusedStep;
using Source = FusedOperand::Source;

/// Expressions that have no memory, reachable from these.
void collect(const std::shared_ptr<const Expression>& root, std::unordered_set<const Expression*>& seen,
             std::vector<std::shared_ptr<const Expression>>& found) {
  std::vector<std::shared_ptr<const Expression>> open{root};
  while (!open.empty()) {
    const auto next = std::move(open.back());
    open.pop_back();
    if (!seen.insert(next.get()).second) continue;
    found.push_back(next);
    for (std::size_t k = 0; k < next->operands; ++k) {
      const auto& operand = next->in[k].expression;
      if (operand != nullptr && operand->memory() == nullptr) open.push_back(operand);
    }
  }
}

/// What tells tensors in memory apart.
const void* identity(const ExpressionOperand& operand, const Sizes& sizes) {
  return operand.expression != nullptr ? operand.expression->memory() : operand.address(sizes);
}

/// Writes one pass.
class PassWriter {
 public:
  PassWriter(const Cone& cone, const Group& group, const std::vector<bool>& is_stored)
      : cone_(cone), group_(group), is_stored_(is_stored), step_of_(cone.expressions.size(), -1) {}

  PlannedPass write() {
    FusedProgram& program = pass_.program;
    program.columns = group_.columns > 0 ? group_.columns : group_.full;
    program.rows = group_.full / program.columns;
    for (std::size_t m = 0; m < group_.members.size(); ++m) write_step(group_.members[m], group_.shapes[m]);
    program.outputs = pass_.outputs.size();
    pass_.device = at(group_.members[0]).device;
    if (!group_.is_alone) pass_.kernel = kernels::make_fused.query(pass_.device, program);
    return std::move(pass_);
  }

 private:
  const Expression& at(int e) const { return *cone_.expressions[static_cast<std::size_t>(e)]; }

  void write_step(int e, kernels::FusedShape shape) {
    const Expression& expression = at(e);
    FusedStep step{expression.operation, {}, static_cast<std::uint8_t>(expression.operands), shape};
    for (std::size_t k = 0; k < expression.operands; ++k) step.in[k] = operand(e, k, step.per_row());
    if (is_stored_[static_cast<std::size_t>(e)]) {
      step.output = static_cast<std::int16_t>(pass_.outputs.size());
      pass_.outputs.push_back(e);
      pass_.bytes += expression.nbytes();
    }
    step_of_[static_cast<std::size_t>(e)] = static_cast<int>(pass_.program.steps.size());
    pass_.program.steps.push_back(step);
    pass_.members.push_back(e);
  }

  FusedOperand operand(int e, std::size_t k, bool per_row) {
    const ExpressionOperand& from = at(e).in[k];
    const int producer = cone_.producers[static_cast<std::size_t>(e)][k];
    if (producer >= 0 && step_of_[static_cast<std::size_t>(producer)] >= 0)
      return {Source::step, static_cast<std::uint16_t>(step_of_[static_cast<std::size_t>(producer)])};
    if (from.is_number) {
      pass_.numbers.push_back({e, static_cast<int>(k)});
      pass_.program.numbers.push_back(compute_dtype(at(e).operation.common));
      return {Source::number, static_cast<std::uint16_t>(pass_.numbers.size() - 1)};
    }
    const bool reduces = at(e).operation.kind == kernels::FusedOperation::Kind::reduction;
    const kernels::FusedInput input = described(at(e), k, per_row && !reduces, producer);
    const int tensor = producer >= 0 ? -1 - producer : cone_.tensors[static_cast<std::size_t>(e)][k];
    for (std::size_t i = 0; i < pass_.inputs.size(); ++i) {
      if (tensors_[i] == tensor && pass_.program.inputs[i] == input)
        return {Source::input, static_cast<std::uint16_t>(i)};
    }
    if (std::find(tensors_.begin(), tensors_.end(), tensor) == tensors_.end())
      pass_.bytes += producer >= 0 ? at(producer).nbytes() : from.nbytes;
    tensors_.push_back(tensor);
    pass_.program.inputs.push_back(input);
    pass_.inputs.push_back(producer >= 0 ? PlannedInput{producer, -1} : PlannedInput{e, static_cast<int>(k)});
    return {Source::input, static_cast<std::uint16_t>(pass_.inputs.size() - 1)};
  }

  /// An operand as an input: per row where it repeats an element along each row.
  kernels::FusedInput described(const Expression& reader, std::size_t k, bool per_row, int producer) const {
    const ExpressionOperand& from = reader.in[k];
    Sizes sizes = reader.sizes, strides = from.strides;
    const std::int64_t columns = pass_.program.columns;
    if (!per_row && pass_.program.rows > 1 && columns <= kernels::kFusedRow) {
      const Relation relation = relate(sizes, strides, pass_.program.rows);
      if (relation.kind == Relation::Kind::repeated && relation.columns == columns) {
        for (std::int64_t left = columns; left > 1;) {
          left /= sizes.back();
          sizes.erase(sizes.size() - 1);
          strides.erase(strides.size() - 1);
        }
        per_row = true;
      }
    }
    const Dtype dtype = producer >= 0 ? at(producer).operation.result : from.dtype;
    return {dtype, per_row, {sizes.begin(), sizes.end()}, {strides.begin(), strides.end()}};
  }

  const Cone& cone_;
  const Group& group_;
  const std::vector<bool>& is_stored_;
  PlannedPass pass_;
  std::vector<int> step_of_;
  std::vector<int> tensors_;  ///< by input: which tensor it is, or -1 - the expression
};

/// Results, and what other groups read.
std::vector<bool> stored_expressions(const Cone& cone, const std::vector<Group>& groups) {
  std::vector<bool> stored = cone.is_result;
  std::vector<std::size_t> group_of(cone.expressions.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int member : groups[g].members) group_of[static_cast<std::size_t>(member)] = g;
  }
  for (std::size_t e = 0; e < cone.expressions.size(); ++e) {
    for (const int p : cone.producers[e]) {
      if (p >= 0 && group_of[static_cast<std::size_t>(p)] != group_of[e])
        stored[static_cast<std::size_t>(p)] = true;
    }
  }
  return stored;
}

/// Lets each pass release what it is the last one to read.
void release_after_last_use(Plan& plan, const Cone& cone) {
  std::vector<bool> is_kept = cone.is_result;
  for (auto pass = plan.passes.rbegin(); pass != plan.passes.rend(); ++pass) {
    const auto release = [&](int e) {
      if (is_kept[static_cast<std::size_t>(e)]) return;
      is_kept[static_cast<std::size_t>(e)] = true;
      pass->released.push_back(e);
    };
    for (const PlannedInput& input : pass->inputs) {
      if (input.operand < 0) release(input.expression);
    }
  }
}

/// Bytes that two cones share exactly if one plan serves both.
class Key {
 public:
  explicit Key(const Cone& cone) {
    for (std::size_t e = 0; e < cone.expressions.size(); ++e) {
      const Expression& expression = *cone.expressions[e];
      const kernels::FusedOperation& operation = expression.operation;
      add(expression.device.type(), expression.device.index(), operation.kind, operation.code, operation.side,
          operation.common, operation.result, static_cast<bool>(cone.is_result[e]), expression.columns,
          expression.kept_columns, expression.operands);
      add(expression.sizes);
      if (operation.kind == kernels::FusedOperation::Kind::reduction) add(expression.over, expression.flops);
      for (std::size_t k = 0; k < expression.operands; ++k) {
        const ExpressionOperand& operand = expression.in[k];
        add(cone.producers[e][k], cone.tensors[e][k], operand.is_number);
        if (operand.is_number) continue;
        add(operand.dtype, operand.nbytes);
        add(operand.strides);
      }
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <typename... Values>
  void add(const Values&... values) {
    (bytes_.append(reinterpret_cast<const char*>(&values), sizeof values), ...);
  }
  void add(const Sizes& sizes) {
    add(sizes.size());
    bytes_.append(reinterpret_cast<const char*>(sizes.begin()), sizes.size() * sizeof(std::int64_t));
  }

  std::string bytes_;
};

}  // namespace

Cone make_cone(std::span<const Storage> results) {
  Cone cone;
  std::unordered_set<const Expression*> seen, wanted;
  for (const Storage& result : results) {
    const auto root = expression_of(result);
    wanted.insert(root.get());
    collect(root, seen, cone.expressions);
  }
  std::sort(cone.expressions.begin(), cone.expressions.end(),
            [](const auto& a, const auto& b) { return a->id < b->id; });
  std::unordered_map<const Expression*, int> position;
  std::map<std::pair<const void*, Dtype>, int> tensors;
  for (const auto& expression : cone.expressions) {
    position.emplace(expression.get(), static_cast<int>(position.size()));
    cone.is_result.push_back(wanted.contains(expression.get()));
    auto& producers = cone.producers.emplace_back();
    auto& memory = cone.tensors.emplace_back();
    producers.fill(-1);
    memory.fill(-1);
    for (std::size_t k = 0; k < expression->operands; ++k) {
      const ExpressionOperand& operand = expression->in[k];
      if (operand.is_number) continue;
      if (const auto known = position.find(operand.expression.get()); known != position.end()) {
        producers[k] = known->second;
        continue;
      }
      const auto number = static_cast<int>(tensors.size());
      memory[k] =
          tensors.try_emplace({identity(operand, expression->sizes), operand.dtype}, number).first->second;
    }
  }
  return cone;
}

Plan make_plan(const Cone& cone) {
  const std::vector<Group> groups = make_groups(cone);
  const std::vector<bool> stored = stored_expressions(cone, groups);
  Plan plan;
  for (const Group& group : groups) plan.passes.push_back(PassWriter(cone, group, stored).write());
  release_after_last_use(plan, cone);
  return plan;
}

std::shared_ptr<const Plan> PlanCache::find(const Cone& cone) {
  std::string key = Key(cone).take();
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
  }
  auto made = std::make_shared<const Plan>(make_plan(cone));
  constexpr std::size_t kMostPlans = 512;
  const std::lock_guard lock(mutex_);
  if (plans_.size() >= kMostPlans) plans_.clear();
  const auto [plan, is_new] = plans_.try_emplace(std::move(key), std::move(made));
  made_ += is_new ? 1 : 0;
  return plan->second;
}

std::int64_t PlanCache::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

}  // namespace lectern::fusion
