#pragma once

#include <string_view>

namespace lectern::cuda {

/// What waits for a GPU on the host calls it when it has waited: throws the TensorError of a kernel that
/// reported a bad index (device/index_fault.h), and of work that was lost.
void raise_faults();

/// Work on a GPU was ended before it was done, as a collective is whose other ranks are lost: what it should
/// have written is not there. From now on raise_faults() throws this TensorError; the first one is kept.
void report_lost_work(std::string_view operation, std::string_view problem);
/// Nothing is computed from it any more.
void forget_lost_work();

}  // namespace lectern::cuda
