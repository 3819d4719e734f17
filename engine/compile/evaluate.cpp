#include "compile/evaluate.h"

#include "autograd/operation_recorder.h"
#include "base/scoped_value.h"
#include "device/counters.h"
#include "device/cuda.h"
#include "kernels/kernel.h"
#include "tensor/tensor.h"

namespace lectern::fusion {
namespace {

/// The memory of a plan's expressions while it runs.
class PlanRun {
 public:
  PlanRun(const Cone& cone, const std::vector<Storage>& results)
      : cone_(cone), memory_(cone.expressions.size()) {
    for (const Storage& result : results) {
      const auto root = expression_of(result);
      for (std::size_t e = 0; e < memory_.size(); ++e) {
        if (cone.expressions[e] == root) memory_[e] = result;
      }
    }
  }

  void run(const PlannedPass& pass) {
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    std::vector<kernels::FusedNumber> numbers;
    for (const PlannedInput& input : pass.inputs) inputs.push_back(address(input));
    for (const PlannedInput& number : pass.numbers)
      numbers.push_back(at(number.expression).in[static_cast<std::size_t>(number.operand)].number);
    for (const int output : pass.outputs) outputs.push_back(allocate(output));
    if (pass.kernel == nullptr) {
      reduce(at(pass.members[0]), inputs[0], outputs[0]);
    } else if (pass.device.is_cuda()) {
      const cuda::DeviceGuard guard(pass.device.index());
      pass.kernel->run(inputs, numbers, outputs);
      cuda::check("compile");
    } else {
      pass.kernel->run(inputs, numbers, outputs);
    }
    count(pass);
    for (const int released : pass.released) memory_[static_cast<std::size_t>(released)] = {};
  }

 private:
  const Expression& at(int e) const { return *cone_.expressions[static_cast<std::size_t>(e)]; }

  /// All that was recorded outside of uncounted().
  void count(const PlannedPass& pass) const {
    std::int64_t flops = 0;
    bool is_counted = false;
    for (const int member : pass.members) {
      if (!at(member).is_counted) continue;
      is_counted = true;
      flops += at(member).flops;
    }
    if (is_counted) count_outside(flops, pass.bytes);
  }

  const void* address(const PlannedInput& input) const {
    if (input.operand < 0) return data(memory_[static_cast<std::size_t>(input.expression)]);
    const Expression& reader = at(input.expression);
    const ExpressionOperand& operand = reader.in[static_cast<std::size_t>(input.operand)];
    return operand.expression != nullptr ? operand.expression->memory() : operand.address(reader.sizes);
  }

  static void* data(const Storage& storage) {
    return storage.is_deferred() ? storage.allocate_deferred() : storage.data_ptr();
  }

  void* allocate(int e) {
    Storage& storage = memory_[static_cast<std::size_t>(e)];
    if (!storage) storage = Storage(static_cast<std::size_t>(at(e).nbytes()), at(e).device);
    return data(storage);
  }

  static void reduce(const Expression& expression, const void* from, void* to) {
    const std::size_t rank = expression.sizes.size();
    Sizes kept = expression.sizes;
    for (std::size_t d = 0; d < rank; ++d) {
      if (expression.over[d]) kept[d] = 1;
    }
    const Sizes strides = contiguous_strides(kept);
    const kernels::FusedOperation& operation = expression.operation;
    kernels::reduce(operation.name(), expression.device, static_cast<kernels::Reduction>(operation.code),
                    operation.common, expression.sizes, {expression.over.data(), rank},
                    {to, operation.result, strides.begin()},
                    {const_cast<void*>(from), expression.in[0].dtype, expression.in[0].strides.begin()},
                    nullptr);
  }

  const Cone& cone_;
  std::vector<Storage> memory_;
};

}  // namespace

void evaluate(const std::vector<Storage>& results, const Evaluation& how) {
  const OperationRecorderScope computing(nullptr);
  const ScopedValue<kernels::KernelObserver*> unobserved(kernels::detail::kernel_observer, nullptr);
  const Cone cone = make_cone(results);
  const std::shared_ptr<const Plan> plan =
      how.plans != nullptr ? how.plans->find(cone) : std::make_shared<const Plan>(make_plan(cone));
  PlanRun run(cone, results);
  for (const PlannedPass& pass : plan->passes) {
    run.run(pass);
    if (how.report != nullptr) how.report->add_pass(cone, pass);
  }
  for (const Storage& result : results) {
    const auto expression = expression_of(result);
    result.resolve();
    expression->set_memory(result);
    if (expression->level >= kMostLevels) expression->forget_operands();
  }
}

}  // namespace lectern::fusion
