#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "tensor/creation.h"

// Positions to test indexing with, for both sides of a comparison with PyTorch.

namespace lectern::test {

/// A tensor of int64, and the same in Python.
struct DrawnIndices {
  Tensor tensor;
  std::string python;
};

/// Fresh ones from `low` to `high` - 1.
inline DrawnIndices draw_indices(const Sizes& sizes, std::int64_t low, std::int64_t high) {
  static std::mt19937 engine(std::random_device{}());
  const Tensor drawn = empty(sizes, {.dtype = int64, .device = cpu});
  auto* const data = static_cast<std::int64_t*>(drawn.data_ptr());
  std::string python = "torch.tensor([";
  for (std::int64_t i = 0; i < drawn.numel(); ++i) {
    data[i] = std::uniform_int_distribution<std::int64_t>(low, high - 1)(engine);
    python += std::to_string(data[i]) + ",";
  }
  std::string shape;
  for (const std::int64_t size : sizes) shape += std::to_string(size) + ",";
  return {drawn.to(default_device()), python + "], dtype=torch.int64).reshape((" + shape + "))"};
}

}  // namespace lectern::test
