#include "tensor/pageable_copy.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "device/copy.h"
#include "kernels/elementwise.h"

namespace lectern {
namespace {

/// Page-locked memory for a part of a copy.
class Staging {
 public:
  static constexpr std::size_t kBytes = std::size_t{4} << 20;

  Staging() : data_(cuda::pinned_allocator().allocate(kBytes)) {}
  ~Staging() { cuda::pinned_allocator().deallocate(data_, kBytes); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void* data() const { return data_; }
  void enqueue(void* to, const void* from, std::size_t bytes, const cuda::Stream& stream) {
    cuda::enqueue_copy(to, from, bytes, stream);
    done_.record(stream);
  }
  /// For what was enqueued last.
  void wait() const { done_.synchronize(); }

 private:
  void* data_;
  cuda::Event done_;
};

/// Enough that the GPU has one while the host has another, and neither waits for the other's last steps.
using Stagings = std::array<Staging, 3>;

void copy_on_host(void* to, const void* from, std::size_t bytes) {
  const std::array<std::int64_t, 1> sizes{static_cast<std::int64_t>(bytes)}, strides{1};
  kernels::cpu::copy(sizes, {to, uint8, strides.data()}, {const_cast<void*>(from), uint8, strides.data()});
}

/// A part of a copy.
struct Part {
  std::size_t begin, bytes;
};

Part part_of(std::size_t total, std::size_t index) {
  const std::size_t begin = index * Staging::kBytes;
  return {begin, std::min(Staging::kBytes, total - begin)};
}

std::size_t count_parts(std::size_t total) {
  return (total + Staging::kBytes - 1) / Staging::kBytes;
}

}  // namespace

void copy_from_pageable(void* gpu, const void* host, std::size_t bytes, const cuda::Stream& stream) {
  Stagings stagings;
  for (std::size_t i = 0; i < count_parts(bytes); ++i) {
    Staging& staging = stagings[i % stagings.size()];
    const auto [begin, length] = part_of(bytes, i);
    staging.wait();
    copy_on_host(staging.data(), static_cast<const std::byte*>(host) + begin, length);
    staging.enqueue(static_cast<std::byte*>(gpu) + begin, staging.data(), length, stream);
  }
}

void copy_to_pageable(void* host, const void* gpu, std::size_t bytes, const cuda::Stream& stream) {
  Stagings stagings;
  const std::size_t parts = count_parts(bytes);
  const auto staging = [&](std::size_t part) -> Staging& { return stagings[part % stagings.size()]; };
  const auto enqueue = [&](std::size_t part) {
    if (part >= parts) return;
    const auto [begin, length] = part_of(bytes, part);
    staging(part).enqueue(staging(part).data(), static_cast<const std::byte*>(gpu) + begin, length, stream);
  };
  for (std::size_t i = 0; i + 1 < stagings.size(); ++i) enqueue(i);
  for (std::size_t i = 0; i < parts; ++i) {
    enqueue(i + stagings.size() - 1);
    const auto [begin, length] = part_of(bytes, i);
    staging(i).wait();
    copy_on_host(static_cast<std::byte*>(host) + begin, staging(i).data(), length);
  }
}

}  // namespace lectern
