#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lectern {

/// Text as HTML, for content and for attributes in double quotes. What is not UTF-8 becomes U+FFFD, invisible
/// characters get a picture.
std::string escape_html(std::string_view text);
void append_escaped(std::string& out, std::string_view text);

/// Control characters made visible, as in escape_html: ␛ for an escape, \u{202E} for what would
/// turn the direction of the text around it.
std::string with_pictures(std::string_view text);

/// Whether a link may lead there: http, https, mailto or no scheme at all.
bool safe_link(std::string_view url);

/// Whether it is a link to an address of http or https, which leads to the same from everywhere.
bool is_web_address(std::string_view url);

/// The length of `<br>`, the only HTML that Markdown's texts may hold, where the text begins with it; else 0.
std::size_t line_break_length(std::string_view text);

/// The text of HTML that Lectern made: tags removed, the entities of escape_html resolved.
std::string html_to_text(std::string_view html);

}  // namespace lectern
