#include "tensor/sizes.h"

#include "base/tensor_error.h"

namespace lectern {

void Sizes::too_many(std::size_t size) {
  throw TensorError("shape", "dimensions", "at most " + std::to_string(kMaxDims), std::to_string(size));
}

Sizes concat(Sizes a, const Sizes& b) {
  for (const std::int64_t size : b) a.push_back(size);
  return a;
}

std::string to_string(const Sizes& sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(sizes[i]);
  }
  return text + "]";
}

std::int64_t checked_numel(std::string_view operation, const Sizes& sizes) {
  std::int64_t numel = 1;
  bool overflow = false;
  bool empty = false;
  for (const std::int64_t size : sizes) {
    if (size < 0) throw TensorError(operation, "every size", "0 or more", to_string(sizes));
    empty = empty || size == 0;
    overflow = overflow || __builtin_mul_overflow(numel, size, &numel);
  }
  if (empty) return 0;
  if (overflow) {
    throw TensorError(operation, "the number of elements", "below 2^63", "that of shape " + to_string(sizes));
  }
  return numel;
}

Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides = sizes;
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    // Strides of an empty tensor, whose other sizes may overflow, are never used.
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(sizes[i], 1), &stride)) stride = 1;
  }
  return strides;
}

bool is_contiguous(const Sizes& sizes, const Sizes& strides) {
  std::int64_t expected = 1;
  bool contiguous = true;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] == 1) continue;
    contiguous = contiguous && strides[i] == expected;
    // As in contiguous_strides(): only where a size further left is 0.
    if (__builtin_mul_overflow(expected, sizes[i], &expected)) expected = 1;
  }
  return contiguous;
}

bool is_dense(const Sizes& sizes, const Sizes& strides) {
  std::array<std::size_t, kMaxDims> order{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return true;
    if (sizes[i] != 1) order[count++] = i;
  }
  std::sort(order.begin(), order.begin() + count,
            [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  std::int64_t expected = 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (strides[order[i]] != expected) return false;
    expected *= sizes[order[i]];
  }
  return true;
}

Sizes broadcast_sizes(std::string_view operation, const Sizes& a, const Sizes& b) {
  const Sizes& longer = a.size() >= b.size() ? a : b;
  const Sizes& shorter = a.size() >= b.size() ? b : a;
  Sizes result = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& size = result[lead + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) {
      throw TensorError(operation, "shapes " + to_string(a) + " and " + to_string(b) +
                                       " cannot be broadcast: sizes " + std::to_string(size) + " and " +
                                       std::to_string(shorter[i]) + " differ, and neither is 1");
    }
    size = shorter[i];
  }
  return result;
}

Sizes expanded_strides(const Sizes& sizes, const Sizes& strides, const Sizes& target) {
  Sizes result = Sizes::filled(target.size(), 0);
  const std::size_t lead = target.size() - sizes.size();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == target[lead + i]) result[lead + i] = strides[i];
  }
  return result;
}

std::size_t wrap_dim(std::string_view operation, std::int64_t dim, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
  if (dim < -count || dim >= count) {
    throw TensorError(operation, "dim", "from " + std::to_string(-count) + " to " + std::to_string(count - 1),
                      std::to_string(dim));
  }
  return static_cast<std::size_t>(dim < 0 ? dim + count : dim);
}

std::optional<std::int64_t> extent(const Sizes& sizes, const Sizes& strides, std::int64_t offset) {
  std::int64_t end = 0;
  bool overflow = __builtin_add_overflow(offset, 1, &end);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    std::int64_t reach = 0;
    overflow = overflow || __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
               __builtin_add_overflow(end, reach, &end);
  }
  if (overflow) return {};
  return end;
}

}  // namespace lectern
