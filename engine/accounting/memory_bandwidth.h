#pragma once

#include <optional>

namespace lectern {

/// Bytes per second that so many threads move between memory and the CPU, read and written ones together: of
/// copies of a buffer larger than the last cache the fastest, in some 50 ms with what it takes to get the
/// buffer. The buffer is no tensor's: counters of memory and bytes do not change. None where there is no
/// memory for it. Throws std::system_error where there are no threads to be had.
std::optional<double> measure_memory_bandwidth(int threads);

}  // namespace lectern
