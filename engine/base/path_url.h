#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// A relative path as a URL: what is not plain in it percent-encoded.
std::string path_url(std::string_view path);

}  // namespace lectern
