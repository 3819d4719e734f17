#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lectern::optim {

/// What a name in Optimizer::state_dict() begins with.
inline constexpr std::string_view kStatePrefix = "state.", kGroupPrefix = "param_groups.";

/// A name in Optimizer::state_dict(): "state.12.exp_avg" of a parameter, "param_groups.0.lr" of a group.
struct StateName {
  std::string_view prefix;  ///< one of the above
  std::size_t index;        ///< of the parameter among all groups', or of the group
  std::string_view name;    ///< "exp_avg"
};

/// None for what is not such a name. The views are of `text`.
std::optional<StateName> parse_state_name(std::string_view text);

}  // namespace lectern::optim
