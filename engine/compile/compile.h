#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "compile/session.h"
#include "tensor/tensor.h"

// compile(function) is a function that gives the same tensors in fewer passes over memory, as PyTorch's
// torch.compile:
//
//   auto gelu = compile([](const Tensor& x) { return 0.5 * x * (1 + erf(x / std::sqrt(2.0))); });
//   Tensor y = gelu(x);            // one pass: reads x, writes y
//   y.sum().backward();            // one more: computes erf again rather than reading it
//   std::cout << gelu.explain(x);  // what was fused, what was not and why, how many bytes moved
//
// A call runs the function, whose operations only record what they would compute: those of
// kernels/elementwise_table.h with one or two operands (but for integers divided), their gradients,
// conversions, where, clamp, masked_fill, and reductions of the last dimensions. When it returns, or when
// something needs elements earlier (item(), matmul, an index, a change of a tensor that was read), what was
// recorded is planned, in one pass where it can be, and computed block by block: what lies between stays in
// the cache, or on a GPU in registers. The plan is made once for the operations, shapes, strides, dtypes and
// device that were recorded, and reused; after 512 plans all are made anew. Since the function runs at each
// call, it may branch, print, draw random numbers, read variables and tensors that change, throw, and call
// compiled functions, which then are parts of it. What it may not do is to write through a pointer from
// data<T>() to a tensor that it has read: nothing sees that. What recorded operations read stays in memory
// until they are computed.
//
// A module or another object that can't be copied is called within a lambda:
//
//   auto step = compile([&model](const Tensor& x) { return model(x); });
//
// Results, gradients, errors and the graph are those of the function: each operation is recorded there as
// always, and hooks, retain_grad() and checkpoint() work. Elements have the same bits, of every dtype (only
// the sign of a NaN may differ), and so do reductions of contiguous rows; those of transposed ones and of
// leading dimensions, and all on a GPU, add in another order and agree to a few roundings. Gradients
// likewise. Neither depends on the number of threads.
//
// What only the backward pass needs is computed again there, from what the function read, and takes no memory
// until then. So a tensor that is changed in place after the function read it, within the call or after it,
// and before backward() is a TensorError, as with any tensor that a graph saved, although the function itself
// may have saved something else.
//
// The counters (device/counters.h) count every operation that is computed, also again, and of each pass the
// bytes of its inputs and results.
//
// What it gains is memory traffic: tensors beyond the caches are computed several times as fast, those within
// them little faster, and of a few thousand elements, where a microsecond or more of recording counts, slower
// than by the function itself.
//
// On a GPU each pass is a kernel of its own (kernels/cuda/fused_source.h), which NVRTC compiles when the plan
// is made, in a tenth of a second or, of a hundred operations, a second, once for all equal passes. Shapes
// that vary at each call cost that at each call; at most 4,096 kernels are compiled. Beyond that, and where
// NVRTC is not found, the function runs eagerly, and explain() says so. Call it once before it is captured
// in a CUDA graph, so that nothing is compiled then. What was recorded is enqueued when the current stream
// changes.

namespace lectern {

template <typename Function>
class CompiledFunction {
 public:
  explicit CompiledFunction(Function function) : function_(std::move(function)) {}

  /// function(arguments…). Its results are tensors, or contain them.
  template <typename... Arguments>
  requires std::invocable<const Function&, Arguments...>
  auto operator()(Arguments&&... arguments) const {
    fusion::Session session(compilation_);
    if constexpr (std::is_void_v<std::invoke_result_t<const Function&, Arguments...>>) {
      function_(std::forward<Arguments>(arguments)...);
      session.finish();
    } else {
      auto result = function_(std::forward<Arguments>(arguments)...);
      session.finish();
      return result;
    }
  }

  /// Calls it, and says which operations were computed together, which were not and why, and the bytes moved;
  /// if the result is a tensor that requires a gradient, the same of a backward pass to the arguments, which
  /// leaves grad() as it is.
  template <typename... Arguments>
  requires std::invocable<const Function&, Arguments...> std::string explain(Arguments&&... arguments)
  const {
    fusion::Explanation explanation;
    const std::vector<Tensor> tensors{tensor_argument(arguments)...};
    if constexpr (std::is_same_v<std::invoke_result_t<const Function&, Arguments...>, Tensor>) {
      explanation.backward((*this)(std::forward<Arguments>(arguments)...), tensors);
    } else {
      (*this)(std::forward<Arguments>(arguments)...);
    }
    return explanation.text();
  }

  /// How many plans were made: one for each set of operations, shapes, strides and dtypes.
  std::int64_t plans() const { return fusion::count_plans(*compilation_); }

 private:
  static Tensor tensor_argument(const Tensor& argument) { return argument; }
  template <typename Other>
  static Tensor tensor_argument(const Other&) {
    return {};
  }

  Function function_;
  std::shared_ptr<fusion::Compilation> compilation_ = fusion::make_compilation();
};

/// A function of tensors and whatever else, called with the same arguments. Copies share their plans, and may
/// be called from several threads if the function may.
template <typename Function>
CompiledFunction<std::decay_t<Function>> compile(Function&& function) {
  return CompiledFunction<std::decay_t<Function>>(std::forward<Function>(function));
}

}  // namespace lectern
