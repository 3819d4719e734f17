#include "autograd/backward_hooks.h"

#include "autograd/accumulate_grad.h"
#include "autograd/graph.h"
#include "autograd/run.h"
#include "base/tensor_error.h"

namespace lectern::autograd {

RemovableHandle register_post_accumulate_grad_hook(const Tensor& leaf, std::function<void()> hook) {
  if (!leaf.is_leaf() || !leaf.requires_grad()) {
    throw TensorError("register_post_accumulate_grad_hook",
                      "the tensor must be a leaf that requires a gradient");
  }
  const std::shared_ptr<AccumulateGrad>& accumulator = Graph::accumulator(leaf);
  return {accumulator, [id = accumulator->add_post_hook(std::move(hook))](AccumulateGrad& node) {
            node.remove_post_hook(id);
          }};
}

void queue_callback(std::function<void()> callback) {
  Run* const run = Run::current();
  if (run == nullptr) throw TensorError("queue_callback", "there is no backward() that runs");
  run->queue_callback(std::move(callback));
}

}  // namespace lectern::autograd
