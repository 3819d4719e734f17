#include "ops/repeat.h"

#include <algorithm>
#include <span>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/index.h"
#include "ops/index_access.h"
#include "ops/reductions.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

void check_not_negative(std::string_view operation, std::string_view argument, std::int64_t value) {
  if (value < 0) throw TensorError(operation, argument, "0 or more", std::to_string(value));
}

/// `sizes` with leading dimensions of size 1.
Sizes padded(const Sizes& sizes, std::size_t rank) {
  Sizes result = sizes;
  while (result.size() < rank) result.insert(0, 1);
  return result;
}

/// A repeated dimension becomes two, copies and size, unless one of them suffices.
struct Copies {
  Sizes apart;     ///< x's sizes, with 1 for the copies
  Sizes repeated;  ///< the same with the repeat counts
  Sizes dims;      ///< the dimensions that are copies

  Copies(const Sizes& sizes, const Sizes& repeats) {
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (repeats[d] != 1) {
        dims.push_back(static_cast<std::int64_t>(apart.size()));
        apart.push_back(1);
        repeated.push_back(repeats[d]);
      }
      if (sizes[d] == 1 && repeats[d] != 1) continue;
      apart.push_back(sizes[d]);
      repeated.push_back(sizes[d]);
    }
  }
};

/// The sum over the copies.
Tensor repeat_backward(const Tensor& grad, const Sizes& sizes, const Sizes& repeats) {
  const Copies copies(padded(sizes, repeats.size()), repeats);
  if (grad.numel() == 0) return zeros(sizes, {.dtype = grad.dtype(), .device = grad.device()});
  const Tensor apart = grad.reshape(copies.repeated);
  return (copies.dims.empty() ? apart : apart.sum(copies.dims)).reshape(sizes);
}

/// x.repeat(repeats), for `operation`, which errors name.
Tensor repeat_for(std::string_view operation, const Tensor& x, const Sizes& repeats) {
  if (repeats.size() < x.sizes().size()) {
    throw TensorError(operation, "repeats", "one for each dimension of shape " + to_string(x.sizes()),
                      to_string(repeats));
  }
  const Sizes sizes = padded(x.sizes(), repeats.size());
  Sizes result_sizes = sizes;
  std::size_t dims = sizes.size();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    check_not_negative(operation, "every number of repeats", repeats[d]);
    result_sizes[d] = checked_numel(operation, {sizes[d], repeats[d]});
    if (sizes[d] != 1 && repeats[d] != 1) ++dims;
  }
  if (dims > kMaxDims) {
    throw TensorError(operation, "the dimensions, and once more those that are repeated,",
                      "at most " + std::to_string(kMaxDims), std::to_string(dims));
  }
  return autograd::recorded(
      "repeat", {&x},
      [&] {
        const Tensor result =
            empty_dense(operation, x.dtype(), x.device(), result_sizes, contiguous_strides(result_sizes));
        if (result.numel() == 0) return result;
        const Copies copies(sizes, repeats);
        result.view(copies.repeated).copy_(x.reshape(copies.apart).expand(copies.repeated));
        return result;
      },
      [&] { return autograd::formula(repeat_backward, x.sizes(), repeats); });
}

}  // namespace

Tensor repeat(const Tensor& x, const Sizes& repeats) {
  return repeat_for("repeat", x, repeats);
}

Tensor tile(const Tensor& x, const Sizes& repeats) {
  return repeat_for("tile", x, padded(repeats, x.sizes().size()));
}

Tensor repeat_interleave(const Tensor& x, std::int64_t repeats, std::optional<std::int64_t> dim) {
  constexpr std::string_view kName = "repeat_interleave";
  check_not_negative(kName, "repeats", repeats);
  if (!dim || x.dim() == 0) {
    if (dim) wrap_dim(kName, *dim, 0);
    return repeat_for(kName, x.reshape({-1, 1}), {1, repeats}).reshape({x.numel() * repeats});
  }
  const std::size_t at = wrap_dim(kName, *dim, x.sizes().size());
  Sizes copies = Sizes::filled(x.sizes().size() + 1, 1);
  copies[at + 1] = repeats;
  Sizes sizes = x.sizes();
  sizes[at] = checked_numel(kName, {sizes[at], repeats});
  return repeat_for(kName, x.unsqueeze(static_cast<std::int64_t>(at) + 1), copies).view(sizes);
}

Tensor repeat_interleave(const Tensor& repeats) {
  if (repeats.dim() != 1) {
    throw TensorError("repeat_interleave", "repeats", "of one dimension",
                      "of shape " + to_string(repeats.sizes()));
  }
  const Tensor counts = uncounted([&] { return as_index("repeat_interleave", repeats).cpu().contiguous(); });
  const std::span<const std::int64_t> times(counts.data<std::int64_t>(),
                                            static_cast<std::size_t>(counts.numel()));
  std::int64_t count = 0;
  for (const std::int64_t repeat_count : times) {
    check_not_negative("repeat_interleave", "every number of repeats", repeat_count);
    if (__builtin_add_overflow(count, repeat_count, &count)) {
      throw TensorError("repeat_interleave", "the sum of the repeats", "below 2^63", "more");
    }
  }
  const Tensor positions = empty({count}, {.dtype = int64, .device = cpu});
  auto* next = positions.data<std::int64_t>();
  for (std::size_t i = 0; i < times.size(); ++i) {
    next = std::fill_n(next, times[i], static_cast<std::int64_t>(i));
  }
  const Tensor result = uncounted([&] { return positions.to(repeats.device(), repeats.dtype()); });
  lectern::count(0, bytes_in_memory(repeats) + result.nbytes());
  return result;
}

Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<std::int64_t> dim) {
  const Tensor from = dim && x.dim() > 0 ? x : x.reshape({-1});
  const std::size_t at = wrap_dim("repeat_interleave", dim.value_or(0), from.sizes().size());
  const std::int64_t size = from.sizes()[at];
  const bool one_for_all = repeats.dim() == 0 || (repeats.dim() == 1 && repeats.numel() == 1);
  if (!one_for_all && repeats.sizes() != Sizes{size}) {
    throw TensorError("repeat_interleave", "repeats", "of the size of the dimension, " + std::to_string(size),
                      "of shape " + to_string(repeats.sizes()));
  }
  const Tensor times = one_for_all ? repeats.reshape({1}).expand({size}) : repeats;
  return index_select(from, static_cast<std::int64_t>(at), repeat_interleave(times));
}

}  // namespace lectern
