#pragma once

#include <string_view>

#include "trace/ceilings.h"

namespace lectern::record {

/// Of the CPU its peak and the measured bandwidth of its memory; with the profile "cuda" of each GPU what its
/// data sheet promises. What is unknown is left out. Never throws.
Ceilings find_ceilings(std::string_view profile);

/// With the profile "cuda" the name of the first GPU, "NVIDIA H200"; else, and without one, empty.
std::string find_device(std::string_view profile);

}  // namespace lectern::record
