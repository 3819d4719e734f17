#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "base/fnv.h"
#include "ops/fresh_seed.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// Positions to test indexing with, for both sides of a comparison with PyTorch.

namespace lectern::test {

/// A tensor of int64, and the same in Python.
struct DrawnIndices {
  Tensor tensor;
  std::string python;
};

/// From `low` to `high` - 1: fresh ones beside a live PyTorch, else the same on every machine.
inline DrawnIndices draw_indices(const Sizes& sizes, std::int64_t low, std::int64_t high) {
  const std::uint32_t start = torch_is_live() ? fresh_seed() : 0;
  std::mt19937 engine(start + static_cast<std::uint32_t>(fnv1a_64(to_string(sizes))));
  const Tensor drawn = empty(sizes, {.dtype = int64, .device = cpu});
  auto* const data = static_cast<std::int64_t*>(drawn.data_ptr());
  std::string python = "torch.tensor([";
  for (std::int64_t i = 0; i < drawn.numel(); ++i) {
    data[i] = low + static_cast<std::int64_t>(engine()) % (high - low);
    python += std::to_string(data[i]) + ",";
  }
  std::string shape;
  for (const std::int64_t size : sizes) shape += std::to_string(size) + ",";
  return {drawn.to(default_device()), python + "], dtype=torch.int64).reshape((" + shape + "))"};
}

}  // namespace lectern::test
