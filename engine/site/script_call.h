#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace lectern {

/// `function(argument);` as a line of a script. Without "<", which stands in strings only, nothing in it can
/// end a script element or begin a comment of HTML; bytes that are not UTF-8 are replaced.
std::string script_call(const std::string& function, const nlohmann::json& argument);

}  // namespace lectern
