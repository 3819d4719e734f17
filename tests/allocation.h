#pragma once

#include <algorithm>
#include <cstddef>

namespace lectern::test {

/// Bytes that `new` has given out and `delete` has not taken back, in the programs that allocation.cpp is
/// linked into; and the most that they have been.
std::size_t allocated();
std::size_t& most_allocated();

/// How much memory `work` has at most, beyond what there was before.
template <typename Work>
std::size_t memory_for(Work&& work) {
  const std::size_t before = allocated();
  most_allocated() = before;
  work();
  return most_allocated() - before;
}

}  // namespace lectern::test
