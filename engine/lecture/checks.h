#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// The scheme of a URL ("https"), in lower case; empty for a relative one.
std::string url_scheme(std::string_view url);

/// Refuses (at the lecture's line) URLs that are neither http, https, mailto nor relative. `hook` begins the
/// message.
void check_url(const std::string& hook, std::string_view url);

/// Refuses what is not the tag of a language; an empty one is none.
void check_language(const std::string& hook, std::string_view tag);

}  // namespace lectern
