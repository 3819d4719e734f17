#include "ops/reduction.h"

#include <optional>
#include <string>

#include "autograd/operation_recorder.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/reduction_functors.h"
#include "kernels/reductions.h"
#include "ops/autocast.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

std::int64_t flops_per_element(kernels::Reduction reduction) {
  constexpr std::int64_t kFlops[] = {
#define LECTERN_ROW(name, Functor, autocast) kernels::Functor<float>::kFlops,
      LECTERN_REDUCTIONS(LECTERN_ROW)
#undef LECTERN_ROW
  };
  return kFlops[static_cast<int>(reduction)];
}

CastPolicy cast_policy(kernels::Reduction reduction) {
  constexpr CastPolicy kPolicies[] = {
#define LECTERN_ROW(name, Functor, autocast) CastPolicy::autocast,
      LECTERN_REDUCTIONS(LECTERN_ROW)
#undef LECTERN_ROW
  };
  return kPolicies[static_cast<int>(reduction)];
}

}  // namespace

ReducedDims::ReducedDims(std::string_view operation, const Tensor& x, const Sizes& dims)
    : rank_(x.sizes().size()) {
  if (dims.empty()) reduced_.fill(true);
  for (const std::int64_t dim : dims) {
    bool& is_named = reduced_[wrap_dim(operation, dim, rank_)];
    if (is_named) {
      throw TensorError(operation, "dims", "different dimensions",
                        to_string(dims) + " of shape " + to_string(x.sizes()));
    }
    is_named = true;
  }
}

Sizes ReducedDims::result_sizes(const Sizes& sizes, bool keepdim) const {
  Sizes result;
  for (std::size_t d = 0; d < rank_; ++d) {
    if (!reduced_[d]) {
      result.push_back(sizes[d]);
    } else if (keepdim) {
      result.push_back(1);
    }
  }
  return result;
}

std::int64_t ReducedDims::elements(const Sizes& sizes) const {
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < rank_; ++d) {
    if (reduced_[d]) elements *= sizes[d];
  }
  return elements;
}

std::optional<Dtype> autocast_dtype(kernels::Reduction reduction, const Tensor& x,
                                    const std::optional<Dtype>& chosen) {
  return autocast_dtype(cast_policy(reduction), x, chosen);
}

Tensor reduce(std::string_view operation, kernels::Reduction reduction, const Tensor& x,
              const ReducedDims& dims, bool keepdim, Dtype common, Dtype result, Tensor* positions) {
  const Sizes sizes = dims.result_sizes(x.sizes(), keepdim);
  OperationRecorder* const recorder = operation_recorder();
  if (recorder != nullptr && positions == nullptr) {
    Tensor later = recorder->reduction(operation, {reduction, common, result}, x, dims.reduced(), sizes,
                                       flops_per_element(reduction));
    if (later.defined()) return later;
  }
  const Tensor out = empty(sizes, {.dtype = result, .device = x.device()});
  // The result's strides, including the reduced dimensions.
  const Sizes strides = contiguous_strides(dims.result_sizes(x.sizes(), true));
  std::optional<kernels::Array> position_array;
  if (positions != nullptr) {
    *positions = empty(sizes, {.dtype = int64, .device = x.device()});
    position_array = to_array(*positions, strides);
  }
  kernels::reduce(operation, x.device(), reduction, common, x.sizes(), dims.reduced(), to_array(out, strides),
                  to_array(x), position_array ? &*position_array : nullptr);
  count(flops_per_element(reduction) * x.numel(),
        bytes_in_memory(x) + out.nbytes() + (positions == nullptr ? 0 : positions->nbytes()));
  return out;
}

}  // namespace lectern
