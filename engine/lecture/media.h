#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// Puts an image beside the lecture into the trace's assets; returns the name that it has there. Refuses what
/// `image` refuses, and warns of an image without alt text. `hook` begins the messages.
std::string add_image(const std::string& hook, std::string_view path, const std::string& alt);

}  // namespace lectern
