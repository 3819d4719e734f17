#include "edtrace/markdown.h"

#include <algorithm>
#include <vector>

#include "base/markdown_math.h"
#include "base/terminal.h"
#include "edtrace/value.h"
#include "trace/json_fields.h"

namespace lectern {
namespace {

/// What Markdown could take for its own, in a formula.
constexpr std::string_view kMarkup = "\\`*_[]<>&~|!#+-=:@.";

void append_formula(std::string& out, std::string_view formula) {
  const std::size_t delimiter = formula.starts_with("$$") ? 2 : 1;
  for (std::size_t at = 0; at < formula.size(); ++at) {
    const bool inside = at >= delimiter && at < formula.size() - delimiter;
    if (inside && kMarkup.find(formula[at]) != std::string_view::npos) out += '\\';
    out += formula[at];
  }
}

/// The length of `<https://…>` or `<a@b.org>`, with which the text begins; 0 when it does not.
std::size_t autolink_length(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t\n<>", 1);
  if (end == std::string_view::npos || text[end] != '>') return 0;
  const std::string_view address = text.substr(1, end - 1);
  const std::size_t colon = address.find(':');
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool scheme = colon != std::string_view::npos && colon >= 2 &&
                      std::all_of(address.begin(), address.begin() + static_cast<long>(colon), is_letter);
  return scheme || address.find('@') != std::string_view::npos ? end + 1 : 0;
}

/// The length of an address with which the text begins, in a link's parentheses or bare; 0 for none. It
/// stands in attributes, where nothing is typeset.
std::size_t address_length(std::string_view text) {
  if (text.starts_with("](")) return std::min(text.find_first_of(")\n"), text.size());
  if (!text.starts_with("http://") && !text.starts_with("https://") && !text.starts_with("www.")) return 0;
  return std::min(text.find_first_of(" \t\n<>)*"), text.size());
}

void append_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == '\\' && text.size() > 1 && text[1] != '$') {
      length = 2;
    } else if (c == '<') {
      length = std::max<std::size_t>(1, autolink_length(text));
    } else if (c == '~') {
      length = std::min(text.find_first_not_of('~'), text.size());
    } else {
      length = std::max<std::size_t>(1, address_length(text));
    }
    const std::string_view piece = text.substr(0, length);
    text.remove_prefix(length);
    if (piece == "$") {
      out += "\\\\$";  // what Markdown leaves is \$, which MathJax takes for no delimiter
    } else if (piece == "\\" && text.starts_with('$')) {
      continue;  // the dollar gets its own
    } else if (piece == "<") {
      out += "&lt;";
    } else if (piece == "~") {
      out += "\\~";  // its viewer strikes out between single ones too
    } else {
      out += piece;
    }
  }
}

std::string pretty(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string prose(const Json& ours, const char* field) {
  return for_edtrace_viewer(text_member(ours, field));
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : between) + part;
  }
  return out;
}

std::string strong(const std::string& text) {
  return text.empty() ? text : "**" + text + "**";
}

std::string quote(const std::string& text) {
  std::string out = "> ";
  for (const char c : text) out += c == '\n' ? std::string("\n> ") : std::string(1, c);
  return out;
}

/// A pipe ends a cell but behind an odd number of backslashes.
std::string cell(const std::string& text) {
  std::string out;
  bool escaped = false;
  for (const char c : for_edtrace_viewer(text)) {
    if (c == '|' && !escaped) out += '\\';
    out += c == '\n' ? ' ' : c;
    escaped = c == '\\' && !escaped;
  }
  return out;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& text : cells) out += " " + cell(text) + " |";
  return out + "\n";
}

std::string table(const Json& ours) {
  std::vector<std::string> header = list_member(ours, "header");
  std::vector<std::vector<std::string>> rows;
  std::size_t columns = header.size();
  for (const Json& row : ours.value("rows", Json::array())) {
    rows.push_back(list_member({{"cells", row}}, "cells"));
    columns = std::max(columns, rows.back().size());
  }
  header.resize(columns);
  std::string out = table_row(header) + table_row(std::vector<std::string>(columns, "---"));
  for (std::vector<std::string>& row : rows) {
    row.resize(columns);
    out += table_row(row);
  }
  return out;
}

std::string graph(const Json& ours) {
  std::string out;
  for (const Json& node : ours.value("nodes", Json::array())) {
    const std::string id = literal_markdown(text_member(node, "id")),
                      label = literal_markdown(text_member(node, "label"));
    out += "- " + id + (label.empty() || label == id ? "" : ": " + label) + "\n";
  }
  for (const Json& edge : ours.value("edges", Json::array())) {
    const std::string label = literal_markdown(text_member(edge, "label"));
    out += "- " + literal_markdown(text_member(edge, "from")) + " \u2192 " +
           literal_markdown(text_member(edge, "to")) + (label.empty() ? "" : " (" + label + ")") + "\n";
  }
  return out;
}

std::string card(const Json& ours) {
  const std::string title = literal_markdown(text_member(ours, "title")), url = text_member(ours, "url");
  return joined({strong(url.empty() || title.empty() ? title : "[" + title + "](<" + url + ">)"),
                 prose(ours, "markdown")},
                "\n\n");
}

std::string callout(const Json& ours) {
  std::string type = text_member(ours, "type");
  if (!type.empty() && type[0] >= 'a' && type[0] <= 'z') type[0] = static_cast<char>(type[0] - 'a' + 'A');
  const std::string heading = joined({type, prose(ours, "title")}, ": ");
  return quote(joined({strong(heading), prose(ours, "markdown")}, "\n\n"));
}

std::string exercise(const Json& ours) {
  const std::string answer = prose(ours, "answer");
  return joined({"**Exercise.** " + prose(ours, "markdown"), answer.empty() ? "" : "**Answer.** " + answer},
                "\n\n");
}

std::string front(const Json& ours) {
  const auto field = [&ours](const char* name) { return literal_markdown(text_member(ours, name)); };
  return joined(
      {strong(field("title")),
       joined({field("course"), literal_markdown(joined(list_member(ours, "authors"), ", ")), field("date")},
              " \u00B7 "),
       field("description")},
      "\n\n");
}

std::string system_text(const Json& ours) {
  const auto status = ours.find("status");
  const bool failed = status != ours.end() && status->is_number() && *status != 0;
  return fenced("$ " + text_member(ours, "command") + "\n" +
                without_terminal_codes(text_member(ours, "text")) +
                (failed ? "\n(exit status " + status->dump() + ")" : ""));
}

}  // namespace

std::string for_edtrace_viewer(std::string_view markdown) {
  std::string out;
  for (const MarkdownPiece& piece : markdown_pieces(markdown)) {
    if (piece.kind == MarkdownPiece::Kind::formula) {
      append_formula(out, piece.text);
    } else if (piece.kind == MarkdownPiece::Kind::text) {
      append_text(out, piece.text);
    } else {
      out += piece.text;
    }
  }
  return out;
}

std::string literal_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '$') out += '\\';  // one for MathJax
    if (c == '$' || std::string_view("\\`*_[]<>&~|#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string fenced(const std::string& text, const char* language) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + language + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence;
}

std::string edtrace_markdown(const Json& ours) {
  const std::string kind = text_member(ours, "kind");
  if (kind == "text") return prose(ours, "markdown");
  if (kind == "verbatim") return fenced(text_member(ours, "text"));
  if (kind == "front") return front(ours);
  if (kind == "table") return table(ours);
  if (kind == "graph") return graph(ours);
  if (kind == "card") return card(ours);
  if (kind == "callout") return callout(ours);
  if (kind == "exercise") return exercise(ours);
  if (kind == "system") return system_text(ours);
  if (kind == "plot") return fenced(pretty(ours.value("spec", Json())), "json");
  if (kind == "value") {
    const auto value = ours.find("value");
    return fenced(text_member(ours, "name") + " = " +
                  (value == ours.end() ? std::string() : plain_value_text(*value)));
  }
  return fenced(pretty(ours), "json");
}

}  // namespace lectern
