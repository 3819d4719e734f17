#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

// Where tests with fresh inputs begin; a failure prints it, and LECTERN_SEED=N draws the same again.

namespace lectern::test {

/// What the environment says, or `otherwise`.
inline std::uint32_t environment(const char* name, std::uint32_t otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(value, nullptr, 10));
}

/// The same for a whole process.
inline std::uint32_t fresh_seed() {
  static const std::uint32_t seed = environment("LECTERN_SEED", std::random_device{}());
  return seed;
}

}  // namespace lectern::test
