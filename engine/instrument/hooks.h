#pragma once

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "trace/model.h"

namespace lectern {

/// Whether a function of this name is a hook of a lecture: a statement that only calls these is a step of
/// kind hook.
template <typename... Kinds>
constexpr bool is_hook_name(std::string_view name, const std::variant<Kinds...>* /*kinds*/) {
  const auto belongs_to = [name]<typename Kind>(const Kind* /*kind*/) {
    if constexpr (requires { Kind::kOtherHooks; }) {
      if (std::ranges::find(Kind::kOtherHooks, name) != Kind::kOtherHooks.end()) return true;
    }
    if constexpr (HasFields<Kind>) return name == Kind::kHook;
    return false;
  };
  return name == "inspect_all" || (belongs_to(static_cast<const Kinds*>(nullptr)) || ...);
}
constexpr bool is_hook_name(std::string_view name) {
  return is_hook_name(name, static_cast<const Rendering::Form*>(nullptr));
}

}  // namespace lectern
