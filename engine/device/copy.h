#pragma once

#include <cstddef>

#include "device/allocator.h"
#include "device/stream.h"

namespace lectern::cuda {

/// Copies between host and GPU, or within a GPU, in stream order. A target on the host is valid only after
/// the event. The copy overlaps with the host's work if the host memory is pinned; from pageable memory it
/// returns once the source may be changed, into pageable memory once it is done.
///
/// Blocks of Lectern's allocators may be freed at once; other memory must live until the event. A source of
/// another stream must be ready: stream.wait_stream(other).
[[nodiscard]] Event copy_async(void* to, const void* from, std::size_t bytes,
                               const Stream& stream = current_stream());

/// The same without an event, which costs as much as a small copy.
void enqueue_copy(void* to, const void* from, std::size_t bytes, const Stream& stream = current_stream());

/// From another GPU to that of the stream, with the same events and memory as copy_async().
[[nodiscard]] Event copy_from_gpu(int device, void* to, const void* from, std::size_t bytes,
                                  const Stream& stream = current_stream());

/// From the host to a GPU by way of page-locked memory: nothing waits, and the source may be changed at once.
void enqueue_staged_copy(void* to, const void* from, std::size_t bytes,
                         const Stream& stream = current_stream());

/// The same as copy_async(); synchronous.
void copy(void* to, const void* from, std::size_t bytes, const Stream& stream = current_stream());

/// The block that `data` points into is used on `stream`, which does not own it: once freed, it is not reused
/// before that work is done. Does nothing for other memory.
void record_stream(const void* data, const Stream& stream);

/// For page-locked host memory, which GPUs access directly. Throws TensorError if there is no GPU.
Allocator& pinned_allocator();
/// Whether `data` points into memory of pinned_allocator.
bool is_pinned(const void* data);

}  // namespace lectern::cuda
