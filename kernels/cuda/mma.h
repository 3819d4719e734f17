#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"

// Products of small matrices of 16-bit floats by tensor cores, from compute capability 8.0 on: a warp holds a
// matrix in the registers of its lanes, as a fragment (PTX ISA, "Matrix multiply-accumulate operation using
// mma instruction", m16n8k16). With g = lane / 4 and t = lane % 4, a lane has of
//
//   a left operand of 16 × 16    four pairs: rows g, g + 8, g, g + 8, columns 2t, 2t + 1, in the last two + 8
//   a right operand of 16 × 8    two pairs: rows 2t, 2t + 1, in the second + 8; column g
//   a result of 16 × 8           four floats: row g, columns 2t, 2t + 1; row g + 8, the same columns
//
// so that two results side by side, rounded, are a left operand.
//
//   launch_tiles(blocks, shared_bytes, kernel)
//     kernel(block, index) in Kernel::kThreads threads for each block, at least
//     Kernel::kBlocksPerMultiprocessor of which are to fit a multiprocessor; with shared memory
//
// Shared memory is addressed in bytes from block.shared() on, which is a multiple of 1024. The functions
// below are called by all lanes of a warp or by none, except those of copies.
//
//   load_matrices(row)
//     ldmatrix: four matrices of 8 × 8, of which lane l passes the address of row l % 8 of number l / 8, a
//     multiple of 16. Each lane gets a pair of each: row g, columns 2t, 2t + 1
//   load_transposed_matrices(row)
//     the same of their transposes
//   multiply_add<T>(sums, a, b0, b1)
//     mma: sums += a b, in float32
//   exchange(value, mask)
//     the value of lane ^ mask
//   sync_warp()
//     a barrier of the warp
//   copy_async<bytes>(to, from, present)
//     cp.async: 4 or 16 bytes from global to shared memory, or zeros where not present; both addresses are
//     multiples of that
//   commit_copies()
//     this thread's copies since the last call are a group
//   wait_for_copies<n>()
//     all but its last n groups are there; for this thread: others need sync()
//   load_shared<T>(from), store_shared(to, value)
//   add_to_global(to, values)
//     red: adds four floats to those in global memory from `to` on, a multiple of 16 bytes, to which other
//     blocks may add at the same time, in any order
//   pack<T>(low, high)
//     two floats, rounded, as a pair
//   exp2_fast(x), log2_fast(x), reciprocal_fast(x)
//     ex2.approx, to about 2 units in the last place, subnormals 0; lg2.approx, to about 2^-22, near 1
//     absolute; rcp.approx, to 1 unit in the last place

#ifndef LECTERN_LAUNCH_HEADER
#include "kernels/cuda/nvcc_mma.h"
#endif
