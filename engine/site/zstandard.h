#pragma once

#include <cstdint>
#include <string>

namespace lectern {

/// What a text is worth: it is written once (`most`, seconds for megabytes), at every change of a site
/// (`some`: less than a tenth of that, for a tenth more bytes), or has hundreds of megabytes (`least`).
enum class Effort : std::uint8_t { least, some, most };

/// A Zstandard frame, for site_templates/src/zstandard.ts. Throws Error where memory is short.
std::string zstandard(const std::string& bytes, Effort effort);

}  // namespace lectern
