#pragma once

namespace lectern::record {

/// From here on steps are recorded with what tensor operations cost (device/counters.h, device/memory.h).
bool meter_tensors();

/// Runs in every lecture that uses tensors.
inline const bool tensors_are_metered = meter_tensors();

}  // namespace lectern::record
