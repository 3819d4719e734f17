#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/dtype.h"
#include "tensor/sizes.h"
#include "tensor/storage.h"

namespace lectern {

namespace autograd {
class Node;
class AccumulateGrad;
}  // namespace autograd

/// What the handles of a tensor share (tensor/tensor.h).
struct TensorImpl {
  TensorImpl(Storage memory, const Sizes& shape, const Sizes& steps, std::int64_t start, std::int64_t count,
             Dtype type)
      : storage(std::move(memory)),
        sizes(shape),
        strides(steps),
        offset(start),
        numel(count),
        dtype(type),
        contiguous(lectern::is_contiguous(shape, steps)) {}

  Storage storage;
  Sizes sizes;
  Sizes strides;
  std::int64_t offset;  ///< in elements
  std::int64_t numel;
  Dtype dtype;
  bool contiguous;

  // Autograd (autograd/graph.h).
  bool requires_grad = false;
  std::uint32_t changes = 0;  ///< recorded in-place changes; for a view: its base's, when last seen
  std::shared_ptr<autograd::Node> grad_fn = {};                ///< null: a leaf
  std::shared_ptr<autograd::AccumulateGrad> accumulator = {};  ///< null: no gradient requested
  std::shared_ptr<TensorImpl> base = {};                       ///< for a view: its base, not a view itself
  bool follows_base = false;                                   ///< the view was made while recording
};

}  // namespace lectern
