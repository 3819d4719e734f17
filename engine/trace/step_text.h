#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lectern {

/// The text of a step's details without some of its members, the others as they are written; empty when none
/// is left. Decodes nothing: for what looks at every step of a long run.
std::string without_members(const std::string& details, std::span<const std::string_view> names);

}  // namespace lectern
