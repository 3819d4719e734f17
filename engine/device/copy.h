#pragma once

#include <cstddef>

#include "device/allocator.h"
#include "device/stream.h"

namespace lectern::cuda {

/// Copies between host and GPU, or GPU and GPU, in the order of the stream. The event is there to wait for:
/// until then a target on the host does not hold the numbers. The copy overlaps with the host's work when the
/// host's memory is pinned; from other memory it returns once the source may be changed, into other memory
/// once it is done.
///
/// Blocks of Lectern's allocators may be freed at once; those of others must live until the event. A source
/// of another stream must be ready: stream.wait_stream(other).
[[nodiscard]] Event copy_async(void* to, const void* from, std::size_t bytes,
                               const Stream& stream = current_stream());

/// The same for who does not wait: an event costs as much as a small copy.
void give_copy(void* to, const void* from, std::size_t bytes, const Stream& stream = current_stream());

/// The same, done on return.
void copy(void* to, const void* from, std::size_t bytes, const Stream& stream = current_stream());

/// The block that `data` points into is used on `stream`, which did not ask for it: freed, it is not reused
/// before that is done. Nothing happens for memory of others.
void record_stream(const void* data, const Stream& stream);

/// Of page-locked host memory, which GPUs copy from and to by themselves. A TensorError when there is no GPU.
Allocator& pinned_allocator();
/// Whether `data` points into memory of pinned_allocator.
bool is_pinned(const void* data);

}  // namespace lectern::cuda
