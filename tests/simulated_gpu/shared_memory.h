#pragma once

#include <cstddef>
#include <cstdint>

// What the threads of a block share. Copies arrive when they are waited for, not before; what nobody has
// written is NaN. The program ends where a GPU's results would depend on chance: where threads access the
// same bytes, one of them to write, and neither a barrier nor, within a warp, sync_warp() is between them;
// where anybody accesses what a copy is on its way to; and where a thread ends before its copies are there.

namespace lectern::kernels::cuda {

using SharedAddress = std::uint32_t;

}  // namespace lectern::kernels::cuda

namespace lectern::test {

using kernels::cuda::SharedAddress;

/// Before the threads of a block start.
void begin_shared_memory(int threads, int bytes);
/// After they have ended.
void end_shared_memory();

/// Aborts where the address is no multiple of `bytes`.
void check_alignment(SharedAddress address, std::size_t bytes);

/// Addresses are multiples of the bytes, which are even.
void read_shared(SharedAddress from, void* to, std::size_t bytes);
void write_shared(SharedAddress to, const void* from, std::size_t bytes);

/// Zeros unless `present`.
void copy_later(SharedAddress to, const void* from, std::size_t bytes, bool present);
void commit();
/// For all groups of copies of this thread but the last ones.
void wait_for_all_but(std::size_t groups);

void sync_warp();

}  // namespace lectern::test
