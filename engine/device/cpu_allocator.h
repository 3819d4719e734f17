#pragma once

#include "device/allocator.h"

namespace lectern {

/// Whether freed memory is kept for later. Not under AddressSanitizer, so that it sees uses of what was
/// freed.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kCpuAllocatorKeeps = false;
#elif !defined(__has_feature)
inline constexpr bool kCpuAllocatorKeeps = true;
#elif __has_feature(address_sanitizer)
inline constexpr bool kCpuAllocatorKeeps = false;
#else
inline constexpr bool kCpuAllocatorKeeps = true;
#endif

/// The allocator of the CPU. A pair of allocate and deallocate takes 10 to 20 ns when a block is
/// there.
///
/// Blocks up to 32 KiB wait in lists of the thread that freed them, at most 8 MiB per thread; larger ones
/// wait in lists that all threads share. From 2 MiB on they are aligned for huge pages. What is in use and
/// kept stays below one and a half times the most that was ever in use, plus 256 MiB: the sizes that were not
/// asked for the longest go first. empty_cache() leaves the small blocks of other threads.
Allocator& cpu_allocator();

}  // namespace lectern
