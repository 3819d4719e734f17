#include "site/inert_svg.h"

#include <algorithm>
#include <optional>

#include "base/characters.h"
#include "base/html.h"

namespace lectern {
namespace {

/// Names between blanks.
constexpr std::string_view kElements =
    " circle clipPath defs g line linearGradient path pattern radialGradient rect stop svg text tspan ";

constexpr std::string_view kAttributes =
    " clip-path cx cy d display dx dy fill fill-opacity font-family font-size font-style"
    " font-variant font-weight fr fx fy gradientTransform gradientUnits height id offset opacity"
    " preserveAspectRatio r rx ry stop-color stop-opacity stroke stroke-dasharray"
    " stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity"
    " stroke-width text-anchor transform viewBox width x x1 x2 y y1 y2 ";

bool is_among(std::string_view names, std::string_view name) {
  return names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

/// Whether the picture is the same without it: initial values that Vega writes out, hundreds of times a plot.
bool says_nothing(std::string_view element, std::string_view name, std::string_view value) {
  if (name == "opacity") return value == "1";
  if (name == "font-family") return value == "inherit";
  if (name == "transform") return value == "translate(0,0)";
  return element == "line" && is_among(" x1 x2 y1 y2 ", name) && value == "0";
}

class Copier {
 public:
  Copier(std::string_view svg, std::string_view attributes, std::string_view prefix)
      : rest_(svg), attributes_(attributes), prefix_(prefix) {}

  std::string run() {
    if (!rest_.starts_with("<svg ")) return {};
    while (!rest_.empty()) {
      const std::size_t tag = rest_.find('<');
      out_ += with_pictures(rest_.substr(0, tag));  // its text is escaped
      if (tag == std::string_view::npos) break;
      rest_.remove_prefix(tag + 1);
      if (!copy_tag()) return {};
    }
    return depth_ == 0 ? std::move(out_) : std::string();
  }

 private:
  std::string_view take_name() {
    std::size_t length = 0;
    while (length < rest_.size() && (is_word(rest_[length]) || rest_[length] == '-' || rest_[length] == ':'))
      ++length;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  /// After its "<". A link is left out, and what it holds stays.
  bool copy_tag() {
    const bool closes = skip("/");
    const std::string_view name = take_name();
    const bool link = name == "a";
    if (!link && !is_among(kElements, name)) return false;
    if (closes) {
      if (!link) out_.append("</").append(name) += '>';
      return --depth_ >= 0 && skip(">");
    }
    std::string tag = "<" + std::string(name);
    if (depth_ == 0) tag.append(" ").append(attributes_);
    while (skip(" ")) {
      if (!copy_attribute(name, tag)) return false;
    }
    const bool empty = skip("/");
    if (!skip(">") || (depth_ == 0 && !out_.empty())) return false;
    if (!empty) ++depth_;
    if (!link) out_ += tag + (empty ? "/>" : ">");
    return true;
  }

  bool copy_attribute(std::string_view element, std::string& tag) {
    const std::string_view name = take_name();
    if (name.empty() || !skip("=\"")) return false;
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) return false;
    const std::string_view value = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (!is_among(kAttributes, name) || says_nothing(element, name, value)) return true;
    const std::optional<std::string> named = add_prefix(name, value);
    if (!named) return false;
    tag.append(" ").append(name).append("=\"").append(*named) += '"';
    return true;
  }

  /// A value that may refer to a part of the picture, and to nothing else.
  std::optional<std::string> add_prefix(std::string_view name, std::string_view value) const {
    if (name == "id") return std::string(prefix_) + std::string(value);
    constexpr std::string_view kReference = "url(#";
    if (value.starts_with(kReference) && value.ends_with(')')) {
      const std::string_view part = value.substr(kReference.size(), value.size() - kReference.size() - 1);
      if (std::all_of(part.begin(), part.end(), is_word))
        return std::string(kReference) + std::string(prefix_) + std::string(part) + ")";
    }
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);
    const bool refers = lower.find("url") != std::string::npos || lower.find('\\') != std::string::npos ||
                        lower.find("image") != std::string::npos || lower.find('<') != std::string::npos;
    if (refers) return std::nullopt;
    return with_pictures(value);
  }

  std::string_view rest_;
  std::string_view attributes_, prefix_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string inert_svg(std::string_view svg, std::string_view attributes, std::string_view prefix) {
  return Copier(svg, attributes, prefix).run();
}

}  // namespace lectern
