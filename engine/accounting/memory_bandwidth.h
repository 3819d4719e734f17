#pragma once

#include <optional>

namespace lectern {

/// Bytes per second that so many threads move between memory and the CPU: read and written ones together, as
/// the threads copy a buffer of twice the size of the last cache. The best tenth of many short passes, in
/// about 40 ms with what it takes to get the buffer, more on a busy machine. The buffer is no tensor's:
/// counters of memory and bytes do not change. None where no buffer that exceeds the cache is to be had in
/// 100 ms.
std::optional<double> measure_memory_bandwidth(int threads);

}  // namespace lectern
