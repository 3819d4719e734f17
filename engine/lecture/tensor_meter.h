#pragma once

namespace lectern::record {

/// Whether steps are recorded with what tensor operations cost (device/counters.h, device/memory.h) and with
/// their collectives (distributed/observer.h): in every program that calls this, from its beginning.
bool meter_tensors();

/// So that every lecture that uses tensors is metered.
inline const bool tensors_are_metered = meter_tensors();

}  // namespace lectern::record
