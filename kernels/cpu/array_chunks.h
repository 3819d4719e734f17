#pragma once

#include <algorithm>
#include <vector>

#include "kernels/chunks.h"
#include "kernels/cpu/conversions.h"
#include "kernels/cpu/parallel.h"

namespace lectern::kernels::cpu {

/// Calls visit(array, part within it, part overall) for the count_parts(array) parts of each array; all have
/// `elements` elements together. From all threads; each makes its `visit` by make_visit().
template <typename Arrays, typename CountParts, typename MakeVisit>
void for_parts(Arrays&& arrays, std::int64_t elements, const CountParts& count_parts,
               const MakeVisit& make_visit) {
  std::vector<std::int64_t> first_parts;
  std::int64_t parts = 0;
  for (const auto& array : arrays) {
    first_parts.push_back(parts);
    parts += count_parts(array);
  }
  const auto count = static_cast<std::int64_t>(first_parts.size());
  const auto first_part = [&](std::int64_t i) { return first_parts[static_cast<std::size_t>(i)]; };
  parallel_ranges(parts, elements, [&](std::int64_t begin, std::int64_t end) {
    auto visit = make_visit();
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t array = find_array(count, part, first_part);
      visit(arrays[static_cast<std::size_t>(array)], part - first_part(array), part);
    }
  });
}

/// The same for chunks: visit(array, begin, end, chunk) with elements `begin` … `end` - 1 of an array, which
/// has a numel.
template <typename Arrays, typename MakeVisit>
void for_chunks(const Arrays& arrays, const MakeVisit& make_visit) {
  std::int64_t elements = 0;
  for (const auto& array : arrays) elements += array.numel;
  for_parts(
      arrays, elements, [](const auto& array) { return count_chunks(array.numel); },
      [&] {
        return [visit = make_visit()](const auto& array, std::int64_t part, std::int64_t chunk) mutable {
          const std::int64_t begin = part * kArrayChunk;
          visit(array, begin, std::min(begin + kArrayChunk, array.numel), chunk);
        };
      });
}

/// Elements of a dtype as values of the compute type: in place or, for another dtype, in a scratch buffer of
/// kLongest values.
template <typename T, std::int64_t kLongest>
class ConvertedBlock {
 public:
  explicit ConvertedBlock(Dtype dtype)
      : size_(element_size(dtype)),
        load_(conversions()(dtype, dtype_of<T>)),
        store_(conversions()(dtype_of<T>, dtype)) {}

  T* load(const void* data, std::int64_t at, std::int64_t count) {
    at_ = static_cast<std::byte*>(const_cast<void*>(data)) + at * size_;
    if (load_ == nullptr) return reinterpret_cast<T*>(at_);
    load_(values_, at_, count);
    return values_;
  }
  /// Writes back what was loaded last.
  void store(std::int64_t count) const {
    if (store_ != nullptr) store_(at_, values_, count);
  }

 private:
  std::int64_t size_;
  Conversion load_, store_;
  std::byte* at_ = nullptr;
  alignas(64) T values_[kLongest];
};

}  // namespace lectern::kernels::cpu
