#include "edtrace/markdown.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/markdown_math.h"
#include "base/terminal.h"
#include "edtrace/value.h"
#include "trace/decode.h"
#include "trace/encode.h"

namespace lectern {
namespace {

/// What Markdown could take for its own, in a formula.
constexpr std::string_view kMarkup = "\\`*_[]<>&~|!#+-=:@.";
/// Of a URL's scheme, or of a mail address before its @.
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._";

void append_formula(std::string& out, std::string_view formula) {
  const std::size_t delimiter = formula.starts_with("$$") ? 2 : 1;
  for (std::size_t at = 0; at < formula.size(); ++at) {
    const bool inside = at >= delimiter && at < formula.size() - delimiter;
    if (inside && kMarkup.find(formula[at]) != std::string_view::npos) out += '\\';
    out += formula[at];
  }
}

/// How much of the text's beginning is an escape, `<https://…>`, `<a@b.org>` or an address, in a link's
/// parentheses or bare: nothing is typeset there. 0 for none.
std::size_t untouched_length(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kAddresses{
      {{"](", ")\n"}, {"http://", " \t\n<>)*"}, {"https://", " \t\n<>)*"}, {"www.", " \t\n<>)*"}}};
  if (text.starts_with('\\')) return text.size() > 1 && text[1] != '$' ? 2 : 0;
  for (const auto& [begin, ends] : kAddresses) {
    if (text.starts_with(begin)) return std::min(text.find_first_of(ends), text.size());
  }
  if (!text.starts_with('<')) return 0;
  const std::size_t end = text.find_first_of(" \t\n<>", 1);
  const std::size_t name = text.find_first_not_of(kNameCharacters, 1);
  if (name >= end || (text[name] != ':' && text[name] != '@')) return 0;
  const bool address = name > (text[name] == ':' ? 2 : 1);
  return address && end != text.npos && text[end] == '>' ? end + 1 : 0;
}

void append_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    std::size_t length = std::max<std::size_t>(1, untouched_length(text));
    if (text.starts_with("$") || text.starts_with("\\$")) {
      length = text.find('$') + 1;
      out += "\\\\$";  // what Markdown leaves is \$, which MathJax takes for no delimiter
    } else if (text.starts_with('~')) {
      length = std::min(text.find_first_not_of('~'), text.size());
      out += length == 1 ? "\\~" : text.substr(0, length);  // its viewer strikes out between single ones too
    } else if (length == 1 && text.starts_with('<')) {
      out += "&lt;";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
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

std::string table_row(std::vector<std::string> cells, std::size_t columns) {
  cells.resize(columns);
  std::string out = "|";
  for (const std::string& text : cells) out += " " + cell(text) + " |";
  return out + "\n";
}

std::string shown(const rendering::Front& front) {
  return joined({strong(literal_markdown(front.title)),
                 joined({literal_markdown(front.course), literal_markdown(joined(front.authors, ", ")),
                         literal_markdown(front.date)},
                        " \u00B7 "),
                 literal_markdown(front.description)},
                "\n\n");
}

std::string shown(const rendering::Table& table) {
  std::size_t columns = table.header.size();
  for (const auto& row : table.rows) columns = std::max(columns, row.size());
  std::string out =
      table_row(table.header, columns) + table_row(std::vector<std::string>(columns, "---"), columns);
  for (const auto& row : table.rows) out += table_row(row, columns);
  return out;
}

std::string shown(const rendering::Graph& graph) {
  std::string out;
  for (const rendering::GraphNode& node : graph.nodes) {
    const bool labelled = !node.label.empty() && node.label != node.id;
    out += "- " + literal_markdown(node.id) + (labelled ? ": " + literal_markdown(node.label) : "") + "\n";
  }
  for (const rendering::GraphEdge& edge : graph.edges) {
    const std::string label = literal_markdown(edge.label);
    out += "- " + literal_markdown(edge.from) + " \u2192 " + literal_markdown(edge.to) +
           (label.empty() ? "" : " (" + label + ")") + "\n";
  }
  return out;
}

std::string shown(const rendering::Card& card) {
  std::string title = literal_markdown(card.title);
  if (!card.url.empty() && !title.empty()) title = "[" + title + "](<" + card.url + ">)";
  return joined({strong(title), for_edtrace_viewer(card.markdown)}, "\n\n");
}

std::string shown(const rendering::Callout& callout) {
  std::string type = callout.type;
  if (!type.empty() && type[0] >= 'a' && type[0] <= 'z') type[0] = static_cast<char>(type[0] - 'a' + 'A');
  const std::string heading = joined({type, for_edtrace_viewer(callout.title)}, ": ");
  return quote(joined({strong(heading), for_edtrace_viewer(callout.markdown)}, "\n\n"));
}

std::string shown(const rendering::Exercise& exercise) {
  const std::string answer = for_edtrace_viewer(exercise.answer);
  return "**Exercise.** " + for_edtrace_viewer(exercise.markdown) +
         (answer.empty() ? "" : "\n\n**Answer.** " + answer);
}

std::string shown(const rendering::System& system) {
  return fenced("$ " + system.command + "\n" + without_terminal_codes(system.text) +
                (system.status == 0 ? "" : "\n(exit status " + std::to_string(system.status) + ")"));
}

std::string pretty(const std::string& json) {
  return fenced(Json::parse(json).dump(2), "json");
}

std::string shown(const rendering::Plot& plot) {
  return pretty(plot.spec.empty() ? "null" : plot.spec.text);
}

std::string shown(const rendering::Inspected& inspected) {
  const Json value = value_to_edtrace(inspected.value, EdtraceGeneration::of_2025);
  return fenced(inspected.name + " = " + value.dump(-1, ' ', false, Json::error_handler_t::replace));
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

std::string edtrace_markdown(const Rendering& rendering) {
  return std::visit(
      [&](const auto& form) {
        using Form = std::remove_cvref_t<decltype(form)>;
        if constexpr (std::is_same_v<Form, rendering::Text>) {
          return for_edtrace_viewer(form.markdown);
        } else if constexpr (std::is_same_v<Form, rendering::Verbatim>) {
          return fenced(form.text);
        } else if constexpr (requires { shown(form); }) {
          return shown(form);
        } else {
          return pretty(to_json(rendering));
        }
      },
      rendering.form);
}

}  // namespace lectern
