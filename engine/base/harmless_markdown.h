#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lectern {

/// Markdown for programs that do not look where links lead, as our pages do: those that are not safe
/// (safe_link in html.h) lead nowhere, and an image is a link unless `shows(address)`, since to show one from
/// elsewhere is to ask for it. Code and formulas are left alone.
std::string harmless_markdown(std::string_view markdown,
                              const std::function<bool(const std::string& address)>& shows);

}  // namespace lectern
