#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/indexing.h"

// kernels/indexing.h on the current CUDA device, enqueued on the current stream.

namespace lectern::kernels::cuda {

/// Looks for an index outside [low, high) and reports it as one of `operation` (device/index_fault.h), with
/// `high` as the size. Kernels continue meanwhile, and read or write only inside their arrays.
void watch_outside(std::string_view operation, std::span<const std::int64_t> sizes, const Array& index,
                   std::int64_t low, std::int64_t high);

void take(std::span<const std::int64_t> sizes, const Array& out, const Array& in, const Array& index,
          const IndexedDim& dim);
void set_offsets(std::span<const std::int64_t> sizes, const std::int64_t* strides, std::int64_t* offsets);
void add_offsets(std::span<const std::int64_t> sizes, std::int64_t* offsets, const Array& index,
                 const IndexedDim& dim);
void put(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
         std::int64_t value_stride, const Destinations& destinations);
void accumulate(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
                std::int64_t value_stride, const Destinations& destinations);

}  // namespace lectern::kernels::cuda
