#include "ops/scatter_reduce.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/scatter_fold.h"
#include "ops/elementwise.h"
#include "ops/gather.h"
#include "ops/index_access.h"
#include "ops/named_option.h"
#include "ops/scattered_values.h"
#include "ops/selection.h"
#include "tensor/array.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

enum class ScatterReduction : std::uint8_t { sum, prod, mean, amax, amin };

ScatterReduction scatter_reduction(std::string_view operation, std::string_view reduce) {
  constexpr std::string_view kNames[] = {"sum", "prod", "mean", "amax", "amin"};
  return option_named<ScatterReduction>(operation, "reduce", kNames, reduce);
}

kernels::ScatterFold fold_of(ScatterReduction reduction) {
  if (reduction == ScatterReduction::prod) return kernels::ScatterFold::prod;
  return reduction == ScatterReduction::amax ? kernels::ScatterFold::amax : kernels::ScatterFold::amin;
}

void fold_values(std::string_view operation, kernels::ScatterFold fold, const Tensor& x, std::int64_t dim,
                 const Tensor& index, const Tensor& source, bool include_self) {
  const auto scattered_there = scattered_values(operation, x, dim, index, source);
  if (!scattered_there) return;
  const auto& [values, offsets] = *scattered_there;
  const Tensor in = uncounted([&, &from = values] { return from.contiguous(); });
  const Tensor places = empty({in.numel()}, {.dtype = int64, .device = x.device()});
  kernels::scatter_fold(operation, x.device(), fold, to_array(x), to_array(in),
                        offsets.destinations(x, places), include_self);
  x.storage().bump_version();
  count(in.numel(), bytes_in_memory(values) + (include_self ? 2 : 1) * in.nbytes());
}

/// How many values each mean is of; 1 where there are none.
Tensor value_counts(const Tensor& x, std::int64_t dim, const Tensor& index, bool include_self) {
  const TensorOptions options{.dtype = int64, .device = x.device()};
  const Tensor counts = full(x.sizes(), include_self ? 1 : 0, options);
  counts.scatter_add_(dim, index, ones({}, options).expand(index.sizes()));
  return counts.clamp_min_(1);
}

/// x / counts, of x's dtype.
Tensor shares(const Tensor& x, const Tensor& counts) {
  return is_float8(x.dtype()) ? (x.to(float32) / counts).to(x.dtype()) : x / counts;
}

/// In place, without recording.
void reduce_into(std::string_view operation, ScatterReduction reduction, const Tensor& x, std::int64_t dim,
                 const Tensor& index, const Tensor& source, bool include_self) {
  if (reduction != ScatterReduction::sum && reduction != ScatterReduction::mean) {
    fold_values(operation, fold_of(reduction), x, dim, index, source, include_self);
    return;
  }
  if (reduction == ScatterReduction::mean && x.dtype() == bool_)
    throw TensorError(operation, "dtype", "a number's, for means", "bool; convert with to() first");
  if (!include_self) x.scatter_(dim, index, 0);
  x.scatter_add_(dim, index, source);
  if (reduction == ScatterReduction::sum) return;
  const Tensor counts = value_counts(x, dim, index, include_self);
  if (is_float8(x.dtype())) {
    x.copy_(shares(x, counts));
  } else if (x.is_floating_point()) {
    x.div_(counts);
  } else {
    x.div_(counts, "floor");
  }
}

/// The gradients: x, the source and the result are saved for what reads them.
struct ScatterFormula {
  ScatterReduction reduction;
  std::int64_t dim;
  bool include_self;
  Saved index, x, source, result;

  void operator()(const Tensor& grad, Gradients& gradients) const {
    const Tensor at = index.get();
    const auto [own, values] = both(grad, at);
    gradients.add(0, [&, &kept = own] { return include_self ? kept : scatter(kept, dim, at, 0); });
    gradients.add(1, [&, &given = values] { return given; });
  }

 private:
  struct Both {
    Tensor x, source;
  };

  Both both(const Tensor& grad, const Tensor& at) const {
    if (reduction == ScatterReduction::sum) return {grad, gather(grad, dim, at)};
    if (reduction == ScatterReduction::prod) return products(grad, at);
    if (reduction != ScatterReduction::mean) return extrema(grad, at);
    const Tensor share = shares(grad, value_counts(grad, dim, at, include_self));
    return {share, gather(share, dim, at)};
  }

  /// The product of all others: of a single zero among the values, that without it; otherwise the quotient.
  Both products(const Tensor& grad, const Tensor& at) const {
    const Tensor start = x.get(), factors = source.get(), product = result.get();
    const Tensor ones_for_zeros = start.masked_fill(start == 0, 1);
    const Tensor others = scatter_reduce(ones_for_zeros, dim, at, factors, "prod", include_self);
    const Tensor is_zero = factors == 0;
    const Tensor zeros_there = gather(zeros(start.sizes(), {.dtype = int64, .device = start.device()})
                                          .scatter_add_(dim, at, is_zero.to(int64)),
                                      dim, at);
    const Tensor only_zero = is_zero.logical_and(zeros_there == 1);
    const Tensor without =
        scatter_reduce(start, dim, at, factors.masked_fill(only_zero, 1), "prod", include_self);
    const Tensor quotients = gather(grad * product, dim, at) / factors.masked_fill(is_zero, 1);
    return {grad * others / ones_for_zeros, where(only_zero, gather(grad * without, dim, at), quotients)};
  }

  /// Equal extrema share the gradient.
  Both extrema(const Tensor& grad, const Tensor& at) const {
    const Tensor extremum_there = result.get();
    const Tensor equal = (x.get() == extremum_there).to(grad.dtype());
    const Tensor own = include_self ? equal : scatter(equal, dim, at, 0);
    const Tensor given = (source.get() == gather(extremum_there, dim, at)).to(grad.dtype());
    const Tensor share = grad / scatter_add(own, dim, at, given);
    return {where(own != 0, own * share, 0), given * gather(share, dim, at)};
  }
};

ScatterFormula scatter_formula(ScatterReduction reduction, std::int64_t dim, bool include_self,
                               const Tensor& index, const Tensor& x, const Tensor& source,
                               const Tensor& result) {
  const bool reads = reduction != ScatterReduction::sum && reduction != ScatterReduction::mean;
  return {reduction,           dim, include_self, Saved(index), Saved(x, reads), Saved(source, reads),
          Saved(result, reads)};
}

/// The part of the source that the index covers.
Tensor covered(const Tensor& source, const Tensor& index) {
  Tensor part = source;
  for (std::int64_t d = 0; d < part.dim() && part.dim() == index.dim(); ++d) {
    if (part.size(d) > index.size(d)) part = part.narrow(d, 0, index.size(d));
  }
  return part;
}

}  // namespace

Tensor scatter_reduce(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                      std::string_view reduce, bool include_self) {
  const ScatterReduction reduction = scatter_reduction("scatter_reduce", reduce);
  const Tensor values = covered(source, index);
  return autograd::recorded(
      "scatter_reduce", {&x, &values},
      [&] {
        const Tensor result = contiguous_clone(x);
        reduce_into("scatter_reduce", reduction, result, dim, index, values, include_self);
        return result;
      },
      [&](const Tensor& out) {
        return scatter_formula(reduction, dim, include_self, index, x, values, out);
      });
}

const Tensor& Tensor::scatter_reduce_(std::int64_t dim, const Tensor& index, const Tensor& source,
                                      std::string_view reduce, bool include_self) const {
  const ScatterReduction reduction = scatter_reduction("scatter_reduce_", reduce);
  const Tensor values = covered(source, index);
  Tensor result;  // where recorded: its gradient reads the old elements and the new ones
  return autograd::changed(
      "scatter_reduce_", *this, {this, &values},
      [&] {
        if (result.defined()) {
          copy_(result);
        } else {
          reduce_into("scatter_reduce_", reduction, *this, dim, index, values, include_self);
        }
      },
      [&] {
        const NoGradGuard no_grad;
        const Tensor before = detach().clone();
        result = before.scatter_reduce(dim, index, values, reduce, include_self);
        return scatter_formula(reduction, dim, include_self, index, before, values, result);
      });
}

}  // namespace lectern
