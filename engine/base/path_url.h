#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// A relative path as a URL, percent-encoded where necessary.
std::string path_url(std::string_view path);

}  // namespace lectern
