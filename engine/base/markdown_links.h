#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace lectern {

/// The file inside of its folder that an address names, "a/b.pdf" of "./a/b.pdf#page=2", and what follows the
/// name. Both are empty for all other addresses.
struct LinkedFile {
  std::string name, rest;
};
LinkedFile linked_file(std::string_view address);

/// A link, an image or a definition, `[name]: address`, in Markdown.
struct MarkdownLink {
  std::string address;  ///< none of an image whose address a definition has, `![text][name]`
  bool is_image = false;
  bool is_definition = false;
};

/// Markdown with its links, images and definitions as `edit` leaves them: it may change the address, and make
/// an image a link. Code and formulas are left alone.
std::string with_links(std::string_view markdown, const std::function<void(MarkdownLink& link)>& edit);

/// Markdown in which the inline links and images, `[text](address)`, lead to what `other` makes of their
/// addresses; where that is empty, where they led.
std::string with_addresses(std::string_view markdown,
                           const std::function<std::string(const std::string& address)>& other);

}  // namespace lectern
