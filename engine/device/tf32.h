#pragma once

namespace lectern::cuda {

/// torch.backends.cuda.matmul.allow_tf32: whether products of float32 matrices on the GPU may round their
/// operands to TF32, which has 10 bits of fraction instead of 23, and use its tensor cores. Initially off;
/// for all threads.
bool allow_tf32();
void set_allow_tf32(bool allow);

}  // namespace lectern::cuda
