#pragma once

#include <array>
#include <string_view>

namespace lectern {

/// The hooks of a lecture: a statement that only calls these is a step of kind hook.
inline constexpr auto hook_names = std::to_array<std::string_view>(
    {"lecture", "text", "verbatim", "image", "video", "link", "plot", "graph", "table", "card", "callout",
     "exercise", "note", "system_text", "inspect", "inspect_all"});

}  // namespace lectern
