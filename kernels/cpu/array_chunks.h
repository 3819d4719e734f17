#pragma once

#include <algorithm>
#include <vector>

#include "kernels/chunks.h"
#include "kernels/cpu/conversions.h"
#include "kernels/cpu/parallel.h"

namespace lectern::kernels {

/// Calls visit(array, begin, end, chunk) for the chunks of all arrays, each of which has a numel: its numbers
/// `begin` … `end` - 1. From all threads; each makes its `visit` by make_visit().
template <typename Arrays, typename MakeVisit>
void for_chunks(const Arrays& arrays, const MakeVisit& make_visit) {
  std::vector<std::int64_t> first_chunks;
  std::int64_t chunks = 0, numbers = 0;
  for (const auto& array : arrays) {
    first_chunks.push_back(chunks);
    chunks += chunks_of(array.numel);
    numbers += array.numel;
  }
  const auto count = static_cast<std::int64_t>(first_chunks.size());
  const auto first_chunk = [&](std::int64_t i) { return first_chunks[static_cast<std::size_t>(i)]; };
  parallel_ranges(chunks, numbers, [&](std::int64_t begin, std::int64_t end) {
    auto visit = make_visit();
    for (std::int64_t chunk = begin; chunk < end; ++chunk) {
      const std::int64_t array = array_of_chunk(count, chunk, first_chunk);
      const auto& of = arrays[static_cast<std::size_t>(array)];
      const std::int64_t at = (chunk - first_chunk(array)) * kArrayChunk;
      visit(of, at, std::min(at + kArrayChunk, of.numel), chunk);
    }
  });
}

/// Numbers of a dtype as those of a type that is computed in: where they are or, of another dtype, in a
/// scratch of kLongest numbers.
template <typename T, std::int64_t kLongest>
class BlockOf {
 public:
  explicit BlockOf(Dtype dtype)
      : size_(element_size(dtype)),
        load_(conversions()(dtype, dtype_of<T>)),
        store_(conversions()(dtype_of<T>, dtype)) {}

  T* load(const void* data, std::int64_t at, std::int64_t count) {
    at_ = static_cast<std::byte*>(const_cast<void*>(data)) + at * size_;
    if (load_ == nullptr) return reinterpret_cast<T*>(at_);
    load_(numbers_, at_, count);
    return numbers_;
  }
  /// What was loaded last, after it was changed.
  void store(std::int64_t count) const {
    if (store_ != nullptr) store_(at_, numbers_, count);
  }

 private:
  std::int64_t size_;
  Conversion load_, store_;
  std::byte* at_ = nullptr;
  alignas(64) T numbers_[kLongest];
};

}  // namespace lectern::kernels
