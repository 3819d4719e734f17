#include "site/inert_html.h"

#include <algorithm>
#include <array>
#include <set>

namespace lectern::test {
namespace {

const std::set<std::string, std::less<>> kElements = {
    // ours
    "a", "b", "bdi", "blockquote", "br", "button", "caption", "code", "dd", "del", "details", "dfn", "div",
    "dl", "dt", "em", "fieldset", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "i", "img", "input", "label", "legend", "li", "ol", "p", "pre", "section", "span", "strong", "summary",
    "sup", "table", "tbody", "td", "th", "thead", "tr", "track", "ul", "video", "wbr",
    // calculators'
    "circle", "option", "polygon", "polyline", "select", "small", "textarea", "title",
    // KaTeX's
    "annotation", "line", "math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom",
    "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr",
    "munder", "munderover", "path", "semantics", "svg",
    // plots'
    "clipPath", "defs", "g", "rect", "text", "tspan"};

const std::set<std::string, std::less<>> kAttributes = {
    "align", "alt", "aria-describedby", "aria-hidden", "aria-label", "aria-labelledby", "aria-sort",
    "checked", "class", "colspan", "controls", "d", "data-all", "data-begin", "data-bytes", "data-columns",
    "data-end", "data-from", "data-to", "data-footnote-backref", "data-footnote-backref-idx",
    "data-footnote-ref", "data-footnotes", "data-kind", "data-line", "data-drawn", "data-elements",
    "data-name", "data-plot", "data-ref", "data-site", "data-source", "data-storage", "data-url", "data-view",
    "default", "dir", "disabled", "display", "encoding", "for", "height", "href", "id", "kind", "label",
    "lang", "loading", "mathcolor", "name", "poster", "preload", "rel", "role", "scope", "src", "srclang",
    "start", "style", "tabindex", "title", "type", "value", "width", "xmlns", "mathvariant", "stretchy",
    "fence", "accent", "viewBox", "preserveAspectRatio", "rowspacing", "columnspacing", "columnalign",
    "scriptlevel", "displaystyle", "separator", "lspace", "rspace", "linebreak", "accentunder", "columnlines",
    "depth", "largeop", "linethickness", "mathbackground", "mathsize", "maxsize", "minsize", "notation",
    "open", "rowlines", "rx", "stroke-width", "valign", "voffset", "x1", "x2", "y1", "y2",
    // of calculators
    "aria-live", "autocomplete", "cx", "cy", "data-function", "data-log", "data-max", "data-min",
    "data-module", "data-values", "hidden", "inputmode", "max", "min", "points", "r", "rows", "selected",
    "spellcheck",
    // of plots
    "clip-path", "fill", "font-family", "font-size", "font-weight", "opacity", "stroke", "stroke-miterlimit",
    "text-anchor", "transform", "x", "y"};

bool address_is_safe(std::string_view url) {
  const std::size_t colon = url.find(':');
  if (colon == std::string_view::npos || url.find_first_of("/?#") < colon) return !url.starts_with("//");
  const std::string_view scheme = url.substr(0, colon);
  return scheme == "http" || scheme == "https" || scheme == "mailto";
}

}  // namespace

std::vector<std::string> active_parts(std::string_view html) {
  std::vector<std::string> found;
  std::size_t at = 0;
  while ((at = html.find('<', at)) != std::string_view::npos) {
    ++at;
    if (at < html.size() && html[at] == '/') ++at;
    const std::size_t name_end = html.find_first_of(" \n/>", at);
    if (name_end == std::string_view::npos) {
      found.emplace_back("a tag without its end");
      break;
    }
    const std::string_view element = html.substr(at, name_end - at);
    if (!kElements.contains(element)) found.push_back("<" + std::string(element) + ">");
    at = name_end;
    while (at < html.size() && html[at] != '>') {
      at = html.find_first_not_of(" \n/", at);
      if (at == std::string_view::npos || html[at] == '>') break;
      const std::size_t end = html.find_first_of(" \n=/>", at);
      const std::string_view attribute = html.substr(at, end - at);
      if (!kAttributes.contains(attribute)) found.emplace_back(attribute);
      at = end;
      if (at >= html.size() || html[at] != '=') continue;
      const char quote = html[at + 1];
      const std::size_t close =
          quote == '"' || quote == '\'' ? html.find(quote, at + 2) : std::string_view::npos;
      if (close == std::string_view::npos) {
        found.push_back("an attribute without quotes: " + std::string(attribute));
        return found;
      }
      const std::string_view value = html.substr(at + 2, close - at - 2);
      if ((attribute == "href" || attribute == "src" || attribute == "poster") && !address_is_safe(value))
        found.emplace_back(value);
      at = close + 1;
    }
  }
  return found;
}

}  // namespace lectern::test
