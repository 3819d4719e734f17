#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// What a content policy calls an inline script or style of this text by: `'sha256-…'`.
std::string policy_hash(std::string_view text);

}  // namespace lectern
