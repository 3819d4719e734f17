#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace lectern {

/// What the memory of a tensor serves. Gradients are those of leaves (Tensor::grad), activations what a graph
/// keeps for its backward pass; the rest is temporary: inputs, results that nothing keeps, gradients on their
/// way.
enum class MemoryCategory : std::uint8_t { parameter, gradient, optimizer, activation, temporary };
inline constexpr std::array<std::string_view, 5> kMemoryCategories{
    "parameters", "gradients", "optimizer states", "activations", "temporary"};

constexpr std::string_view name(MemoryCategory category) {
  return kMemoryCategories[static_cast<std::size_t>(category)];
}

/// Bytes by category.
struct MemoryByCategory {
  std::array<std::int64_t, kMemoryCategories.size()> bytes{};

  constexpr std::int64_t operator[](MemoryCategory category) const {
    return bytes[static_cast<std::size_t>(category)];
  }
  constexpr std::int64_t total() const {
    return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  }
  friend constexpr bool operator==(const MemoryByCategory&, const MemoryByCategory&) = default;
};

}  // namespace lectern
