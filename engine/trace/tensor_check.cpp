#include "trace/tensor_check.h"

#include <algorithm>
#include <numeric>

namespace lectern {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;
constexpr std::size_t kMostDims = 16;

bool in_range(const Integers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](std::int64_t n) { return n >= 0 && n <= kLargest; });
}

/// Ascending, below the size of their dimension.
bool are_positions(const Integers& positions, std::int64_t size) {
  return in_range(positions) && std::is_sorted(positions.begin(), positions.end(), std::less_equal<>()) &&
         (positions.empty() || positions.back() < size);
}

bool data_fits(const form::Tensor& tensor) {
  const std::size_t dims = tensor.shape.size();
  if (is_empty(tensor)) return tensor.data->empty();
  if (!tensor.indices.empty() && tensor.indices.size() != dims) return false;
  std::size_t count = 1;
  for (std::size_t d = 0; d < dims; ++d) {
    const bool summary = !tensor.indices.empty();
    if (summary && !are_positions(tensor.indices[d], tensor.shape[d])) return false;
    const std::size_t positions =
        summary ? tensor.indices[d].size() : static_cast<std::size_t>(tensor.shape[d]);
    if (__builtin_mul_overflow(count, positions, &count)) return false;
  }
  return count == tensor.data->size();
}

}  // namespace

std::uint64_t element_count(const form::Tensor& tensor) {
  std::uint64_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count)) return kLargest;
  }
  return count;
}

bool is_empty(const form::Tensor& tensor) {
  return std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
}

bool is_consistent(const form::Tensor& tensor) {
  return tensor.shape.size() <= kMostDims && in_range(tensor.shape) &&
         in_range({tensor.offset, tensor.storage, tensor.storage_bytes}) &&
         (!tensor.strides || (in_range(*tensor.strides) && tensor.strides->size() == tensor.shape.size())) &&
         (tensor.names.empty() || tensor.names.size() == tensor.shape.size()) && in_range(tensor.histogram) &&
         (!tensor.data || data_fits(tensor));
}

std::vector<Integers> data_positions(const form::Tensor& tensor) {
  if (!tensor.data || is_empty(tensor)) return std::vector<Integers>(tensor.shape.size());
  if (!tensor.indices.empty()) return tensor.indices;
  std::vector<Integers> positions;
  for (const std::int64_t size : tensor.shape) {
    Integers& all = positions.emplace_back(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), std::int64_t{0});
  }
  return positions;
}

}  // namespace lectern
