#pragma once

#include <cstddef>
#include <cstdint>

#include "device/copy.h"

namespace lectern::kernels::cuda {

/// Sort keys, and the columns where they were.
struct KeysAndPlaces {
  std::uint64_t* key;
  std::int64_t* place;

  KeysAndPlaces from(std::int64_t first) const { return {key + first, place + first}; }
};

/// Copies `count` of them, unless they are there already.
inline void copy_keys(const KeysAndPlaces& to, const KeysAndPlaces& from, std::int64_t count) {
  if (to.key == from.key) return;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  lectern::cuda::enqueue_copy(to.key, from.key, bytes);
  lectern::cuda::enqueue_copy(to.place, from.place, bytes);
}

}  // namespace lectern::kernels::cuda
