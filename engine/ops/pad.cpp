#include "ops/pad.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/join.h"
#include "tensor/creation.h"
#include "tensor/layout.h"
#include "tensor/scalar_element.h"

namespace lectern {
namespace {

constexpr std::string_view kPad = "pad";

/// Of dimension `dim`, what `pads` says about its ends.
struct Ends {
  Ends(const Sizes& pads, std::size_t rank, std::size_t dim) {
    const std::size_t at = 2 * (rank - 1 - dim);
    if (at >= pads.size()) return;
    before = pads[at];
    after = pads[at + 1];
  }

  std::int64_t before = 0, after = 0;
};

void check_pads(const Tensor& x, const Sizes& pads) {
  if (pads.size() % 2 == 0 && pads.size() / 2 <= x.sizes().size()) return;
  throw TensorError(kPad, "pads",
                    "two for each dimension of " + to_string(x.sizes()) + " or for its last ones",
                    to_string(pads));
}

void check_taken(const Ends& ends, std::size_t dim, std::int64_t size, const Sizes& pads) {
  const std::int64_t taken = std::max<std::int64_t>(0, -ends.before) + std::max<std::int64_t>(0, -ends.after);
  if (taken <= size) return;
  throw TensorError(
      kPad, "pads",
      "no more taken away than dimension " + std::to_string(dim) + " has, " + std::to_string(size),
      to_string(pads));
}

/// The part of x that is kept, and where it goes.
Tensor part_without_ends(const Tensor& x, const Sizes& pads, bool is_result) {
  Tensor part = x;
  for (std::size_t d = 0; d < x.sizes().size(); ++d) {
    Ends ends(pads, x.sizes().size(), d);
    if (is_result) ends.before = -ends.before, ends.after = -ends.after;
    const std::int64_t first = std::max<std::int64_t>(0, -ends.before);
    const std::int64_t length = x.sizes()[d] - first - std::max<std::int64_t>(0, -ends.after);
    part = part.narrow(static_cast<std::int64_t>(d), first, length);
  }
  return part;
}

Tensor pad_constant(const Tensor& x, const Sizes& pads, const Scalar& value) {
  Sizes sizes = x.sizes(), opposite = pads;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const Ends ends(pads, sizes.size(), d);
    check_taken(ends, d, sizes[d], pads);
    if (__builtin_add_overflow(sizes[d], ends.before, &sizes[d]) ||
        __builtin_add_overflow(sizes[d], ends.after, &sizes[d]))
      throw TensorError(kPad, "the size of dimension " + std::to_string(d), "below 2^63", "more");
  }
  check_in_range(kPad, value, x.dtype());
  checked_nbytes(kPad, x.dtype(), sizes);
  for (std::int64_t& end : opposite) end = -end;
  return autograd::recorded(
      kPad, {&x},
      [&] {
        const Tensor kept = part_without_ends(x, pads, false);
        const Tensor out = uncounted([&] {
          const Tensor whole = full(sizes, value, {.dtype = x.dtype(), .device = x.device()});
          part_without_ends(whole, pads, true).copy_(kept);
          return whole;
        });
        count(0, bytes_in_memory(kept) + out.nbytes());
        return out;
      },
      [&] {
        return autograd::formula([opposite](const Tensor& grad) { return pad_constant(grad, opposite, 0); });
      });
}

/// As many dimensions as PyTorch pads by its elements.
void check_rank(const Tensor& x, const Sizes& pads, std::string_view mode) {
  const std::size_t padded = pads.size() / 2, rank = x.sizes().size();
  if (padded >= 1 && padded <= 3 && (rank == padded + 1 || rank == padded + 2)) return;
  throw TensorError(kPad, "pads",
                    "two for each dimension but the first one or two of 2 to 5, to " + std::string(mode),
                    to_string(pads) + " for shape " + to_string(x.sizes()));
}

/// Where the elements of a padded dimension come from.
Tensor sources(const Ends& ends, std::int64_t size, bool reflects, Device device) {
  return uncounted([&] {
    const Tensor places = arange(-ends.before, size + ends.after, 1, {.dtype = int64, .device = device});
    if (!reflects) return places.clamp_(0, size - 1);
    return places.abs_().sub_(size - 1).abs_().neg_().add_(size - 1);
  });
}

/// Of dimension `dim`, which has lost what negative pads take away.
Tensor wrapped(const Tensor& x, std::int64_t dim, const Ends& ends) {
  const std::int64_t before = std::max<std::int64_t>(0, ends.before),
                     after = std::max<std::int64_t>(0, ends.after);
  const std::int64_t size = x.size(dim);
  if (before > size || after > size) {
    throw TensorError(kPad, "pads",
                      "no more than dimension " + std::to_string(dim) + " has, " + std::to_string(size),
                      std::to_string(std::max(before, after)));
  }
  if (before == 0 && after == 0) return x;
  return cat({x.narrow(dim, size - before, before), x, x.narrow(dim, 0, after)}, dim);
}

Tensor pad_circular(const Tensor& x, const Sizes& pads) {
  const std::size_t padded = pads.size() / 2, rank = x.sizes().size();
  if (padded < 1 || padded > 3 || rank != padded + 2) {
    throw TensorError(kPad, "pads", "two for each dimension but the first two of 3 to 5, to wrap around",
                      to_string(pads) + " for shape " + to_string(x.sizes()));
  }
  for (std::size_t d = 2; d < rank; ++d) check_taken(Ends(pads, rank, d), d, x.sizes()[d], pads);
  Tensor result = part_without_ends(x, pads, false);
  for (std::size_t d = 2; d < rank; ++d)
    result = wrapped(result, static_cast<std::int64_t>(d), Ends(pads, rank, d));
  return std::ranges::any_of(pads, [](std::int64_t end) { return end > 0; }) ? result : result.clone();
}

Tensor pad_by_elements(const Tensor& x, const Sizes& pads, std::string_view mode) {
  check_floating(kPad, x.dtype());
  check_rank(x, pads, mode);
  const bool reflects = mode == "reflect";
  Tensor result = x;
  const std::size_t rank = x.sizes().size();
  for (std::size_t d = rank - pads.size() / 2; d < rank; ++d) {
    const Ends ends(pads, rank, d);
    const std::int64_t size = x.sizes()[d], most = reflects ? size - 1 : std::int64_t{1} << 62;
    if (size == 0 || ends.before > most || ends.after > most || size + ends.before + ends.after < 1) {
      throw TensorError(kPad, "pads",
                        std::string(reflects ? "less than" : "for one element or more of") +
                            " the size of dimension " + std::to_string(d) + ", " + std::to_string(size),
                        to_string(pads));
    }
    if (ends.before == 0 && ends.after == 0) continue;
    result = index_select(result, static_cast<std::int64_t>(d), sources(ends, size, reflects, x.device()));
  }
  return result.is_same(x) ? x.clone() : result;
}

}  // namespace

Tensor pad(const Tensor& x, const Sizes& pads, std::string_view mode, const Scalar& value) {
  check_pads(x, pads);
  if (mode != "constant" && value.to_double() != 0)
    throw TensorError(kPad, "value", "left out unless the mode is \"constant\"",
                      std::to_string(value.to_double()));
  if (mode == "constant") return pad_constant(x, pads, value.to_double());
  if (mode == "reflect" || mode == "replicate") return pad_by_elements(x, pads, mode);
  if (mode == "circular") return pad_circular(x, pads);
  throw TensorError(kPad, "mode", "\"constant\", \"reflect\", \"replicate\" or \"circular\"",
                    "\"" + std::string(mode) + "\"");
}

}  // namespace lectern
