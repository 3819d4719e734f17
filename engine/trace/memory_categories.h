#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lectern {

/// What the memory of a device serves; the last is what remains.
inline constexpr std::array<std::string_view, 5> kTracedCategories{
    "parameters", "gradients", "optimizer states", "activations", "temporary"};
/// Bytes by category, of all but the last.
using CategoryBytes = std::array<std::int64_t, kTracedCategories.size() - 1>;

}  // namespace lectern
