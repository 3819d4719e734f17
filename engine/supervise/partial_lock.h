#pragma once

#include <filesystem>

#include "base/descriptor.h"

namespace lectern {

/// Opens the file in which a trace grows, or makes it, and locks it. Throws Error while another run holds it,
/// after a second: one that was killed may be about to end.
Descriptor lock_partial(const std::filesystem::path& partial, const std::filesystem::path& trace);

}  // namespace lectern
