#include "base/harmless_markdown.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/html.h"
#include "base/markdown_math.h"

namespace lectern {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

/// Entities of HTML may spell a scheme: only in what comes after the path none can.
bool is_harmless(std::string_view address) {
  if (address.starts_with('<')) address.remove_prefix(1);
  const std::string_view path = address.substr(0, address.find('?'));
  return safe_link(address) && path.find('&') == std::string_view::npos;
}

class HarmlessWriter {
 public:
  HarmlessWriter(std::string_view markdown, const std::function<bool(const std::string&)>& shows)
      : shows_(shows), has_definitions_(markdown.find("]:") != std::string_view::npos) {
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
    std::size_t at;  ///< in what is written
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
    std::optional<Bracket> bracket;
    if (!open_.empty()) {
      bracket = open_.back();
      open_.pop_back();
    }
    const bool image = bracket && bracket->image;
    if (text.starts_with('(') || text.starts_with(':')) {
      copy_destination(text, image ? bracket : std::nullopt);
    } else if (image && has_definitions_) {
      make_link(*bracket);  // where its definition leads is not known here
    }
  }

  void copy_destination(std::string_view& text, const std::optional<Bracket>& image) {
    const bool inline_link = text.front() == '(';
    copy(text, 1);
    copy(text, std::min(text.find_first_not_of(kBlanks), text.size()));
    const std::string address(text.substr(0, inline_link ? inline_end(text) : text.find_first_of(kBlanks)));
    if (image && !shows_(address)) make_link(*image);
    const bool stays = is_harmless(address) || (image && shows_(address));
    out_ += stays ? address : "#";
    text.remove_prefix(address.size());
  }

  /// Where an inline address ends, which may have parentheses in pairs.
  static std::size_t inline_end(std::string_view text) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (kBlanks.find(text[at]) != std::string_view::npos) return at;
      if (text[at] == '(') ++depth;
      if (text[at] == ')' && depth-- == 0) return at;
    }
    return text.size();
  }

  void make_link(const Bracket& image) { out_.erase(image.at, 1); }

  void copy(std::string_view& text, std::size_t count) {
    out_ += text.substr(0, count);
    text.remove_prefix(count);
  }

  const std::function<bool(const std::string&)>& shows_;
  bool has_definitions_;
  std::string out_;
  std::vector<Bracket> open_;
  std::size_t escaped_ = std::string::npos;  ///< where the last escaped character ended
};

}  // namespace

std::string harmless_markdown(std::string_view markdown,
                              const std::function<bool(const std::string& address)>& shows) {
  return HarmlessWriter(markdown, shows).take();
}

}  // namespace lectern
