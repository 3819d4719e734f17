#include "base/markdown_links.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/markdown_math.h"

namespace lectern {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

/// Where an inline address ends, which may have parentheses in pairs.
std::size_t inline_end(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (kBlanks.find(text[at]) != std::string_view::npos) return at;
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && depth-- == 0) return at;
  }
  return text.size();
}

class LinkEditor {
 public:
  LinkEditor(std::string_view markdown, const std::function<void(MarkdownLink&)>& edit)
      : edit_(edit), has_definitions_(markdown.find("]:") != std::string_view::npos) {
    for (const MarkdownPiece& piece : markdown_pieces(markdown)) {
      if (piece.kind == MarkdownPiece::Kind::text) {
        write(piece.text);
      } else {
        out_ += piece.text;
      }
    }
  }

  std::string take() { return std::move(out_); }

 private:
  struct Bracket {
    std::size_t at;  ///< in what is written, with the mark of an image
    bool image;
  };

  void write(std::string_view text) {
    while (!text.empty()) {
      const char c = text.front();
      if (c == '\\') {
        copy(text, std::min<std::size_t>(2, text.size()));
        escaped_ = out_.size();
        continue;
      }
      if (c == '[') {
        const bool image = out_.ends_with('!') && escaped_ != out_.size();
        open_.push_back({image ? out_.size() - 1 : out_.size(), image});
      }
      copy(text, 1);
      if (c == ']') close(text);
    }
  }

  /// After a closing bracket.
  void close(std::string_view& text) {
    std::optional<std::size_t> image;
    if (!open_.empty()) {
      if (open_.back().image) image = open_.back().at;
      open_.pop_back();
    }
    if (text.starts_with('(') || text.starts_with(':')) {
      write_destination(text, image);
    } else if (image && has_definitions_) {
      edited({}, image, false);
    }
  }

  void write_destination(std::string_view& text, std::optional<std::size_t> image) {
    const bool is_inline = text.front() == '(';
    copy(text, 1);
    copy(text, std::min(text.find_first_not_of(kBlanks), text.size()));
    const std::string address(text.substr(0, is_inline ? inline_end(text) : text.find_first_of(kBlanks)));
    out_ += edited(address, image, !is_inline);
    text.remove_prefix(address.size());
  }

  /// The new address.
  std::string edited(const std::string& address, std::optional<std::size_t> image, bool is_definition) {
    MarkdownLink link{address, image.has_value(), is_definition};
    edit_(link);
    if (image && !link.is_image) out_.erase(*image, 1);
    return link.address;
  }

  void copy(std::string_view& text, std::size_t count) {
    out_ += text.substr(0, count);
    text.remove_prefix(count);
  }

  const std::function<void(MarkdownLink&)>& edit_;
  bool has_definitions_;
  std::string out_;
  std::vector<Bracket> open_;
  std::size_t escaped_ = std::string::npos;  ///< where the last escaped character ended
};

}  // namespace

LinkedFile linked_file(std::string_view address) {
  const std::size_t end = std::min(address.find_first_of("?#"), address.size());
  const std::string path = std::filesystem::path(address.substr(0, end)).lexically_normal().generic_string();
  if (path.ends_with('/') || path == "." || !inside_folder(path)) return {};
  return {path, std::string(address.substr(end))};
}

std::string with_links(std::string_view markdown, const std::function<void(MarkdownLink& link)>& edit) {
  return LinkEditor(markdown, edit).take();
}

std::string with_addresses(std::string_view markdown,
                           const std::function<std::string(const std::string& address)>& other) {
  return with_links(markdown, [&](MarkdownLink& link) {
    if (link.is_definition || link.address.empty()) return;
    if (std::string instead = other(link.address); !instead.empty()) link.address = std::move(instead);
  });
}

}  // namespace lectern
