#include "edtrace/markdown.h"

#include <algorithm>
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

void append_formula(std::string& out, std::string_view formula) {
  const std::size_t delimiter = formula.starts_with("$$") ? 2 : 1;
  for (std::size_t at = 0; at < formula.size(); ++at) {
    const bool inside = at >= delimiter && at < formula.size() - delimiter;
    if (inside && kMarkup.find(formula[at]) != std::string_view::npos) out += '\\';
    out += formula[at];
  }
}

/// Whether `<https://…>` begins the text.
bool begins_address(std::string_view text) {
  const std::size_t end = text.find_first_of(" \t\n<>", 1);
  return text.starts_with("<http") && end != text.npos && text[end] == '>';
}

void append_text(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('$') || rest.starts_with("\\$")) {
      out += "\\\\$";  // what Markdown leaves is \$, which MathJax takes for no delimiter
      at += rest.find('$');
    } else if (rest.starts_with('\\')) {
      out += rest.substr(0, 2);
      ++at;
    } else if (rest.starts_with('~')) {
      const std::size_t length = std::min(rest.find_first_not_of('~'), rest.size());
      const bool in_path = at > 0 && text[at - 1] == '/';
      if (length == 1 && !in_path) out += '\\';  // its viewer strikes out between single ones too
      out.append(length, '~');
      at += length - 1;
    } else if (rest.starts_with('<') && !begins_address(rest)) {
      out += "&lt;";
    } else {
      out += rest.front();
    }
  }
}

std::string indented_json(const std::string& json) {
  return fenced(Json::parse(json).dump(2), "json");
}

std::string table_row(std::vector<std::string> cells, std::size_t columns) {
  cells.resize(columns);
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : for_edtrace_viewer(cell)) {
      if (c == '|' && !out.ends_with('\\')) out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    out += " |";
  }
  return out + "\n";
}

struct MarkdownWriter {
  std::string operator()(const rendering::Text& text) const { return for_edtrace_viewer(text.markdown); }

  std::string operator()(const rendering::Verbatim& verbatim) const { return fenced(verbatim.text); }

  std::string operator()(const rendering::Table& table) const {
    std::size_t columns = table.header.size();
    for (const auto& row : table.rows) columns = std::max(columns, row.size());
    std::string out =
        table_row(table.header, columns) + table_row(std::vector<std::string>(columns, "---"), columns);
    for (const auto& row : table.rows) out += table_row(row, columns);
    return out;
  }

  std::string operator()(const rendering::Graph& graph) const {
    std::string out;
    for (const rendering::GraphNode& node : graph.nodes)
      out += node.id + (node.label.empty() ? "" : ": " + node.label) + "\n";
    for (const rendering::GraphEdge& edge : graph.edges) {
      const std::string label = edge.label.empty() ? "" : " (" + edge.label + ")";
      out += edge.from + " \u2192 " + edge.to + label + "\n";
    }
    return fenced(out);
  }

  std::string operator()(const rendering::System& system) const {
    return fenced("$ " + system.command + "\n" + without_terminal_codes(system.text) +
                  (system.status == 0 ? "" : "\n(exit status " + std::to_string(system.status) + ")"));
  }

  std::string operator()(const rendering::Plot& plot) const {
    return indented_json(plot.spec.empty() ? "null" : plot.spec.text);
  }

  std::string operator()(const rendering::Inspected& inspected) const {
    const Json value = value_to_edtrace(inspected.value, EdtraceGeneration::of_2025);
    return fenced(inspected.name + " = " + json_text(value));
  }

  /// What was calculated, and what it gave.
  std::string operator()(const rendering::Calculator& calculator) const {
    std::string out = calculator.title + "\n";
    for (const calculators::Input& input : calculator.inputs) {
      const std::string& label = input.label.empty() ? input.name : input.label;
      if (!input.hidden) out += label + " = " + input.value + " " + input.unit + "\n";
    }
    for (const calculators::Quantity& quantity : calculator.result.quantities)
      out += quantity.label + ": " + quantity.text + "\n";
    return fenced(out);
  }

  std::string operator()(const rendering::Unknown& unknown) const {
    return indented_json(to_json(Rendering{unknown}));
  }

  /// Of all other kinds each field is a paragraph: titles are strong, or else the kind; Markdown is what it
  /// is; anything else has its name before it.
  template <HasFields T>
  std::string operator()(const T& object) const {
    std::string out;
    for_each_field<T>([&](const auto& field) {
      const std::string text = field_text(object.*field.member);
      if (text.empty() || field.name == "caption") return;
      if (!out.empty()) out += "\n\n";
      if (field.name == "title" || field.name == "type") {
        out += "**" + text + "**";
      } else if (field.name == "markdown") {
        out += text;
      } else {
        out.append("**").append(field.name).append(":** ").append(text);
      }
    });
    if constexpr (requires { T::kKind; }) {
      if (!out.starts_with("**")) out = "**" + std::string(T::kKind) + "**\n\n" + out;
    }
    return out;
  }

 private:
  static std::string field_text(int /*width*/) { return {}; }

  static std::string field_text(const std::string& markdown) { return for_edtrace_viewer(markdown); }

  template <typename Item>
  std::string field_text(const std::vector<Item>& list) const {
    constexpr bool kParagraphs = HasFields<Item>;
    std::string out;
    for (const Item& item : list) {
      if (!out.empty()) out += kParagraphs ? "\n\n" : ", ";
      if constexpr (kParagraphs) {
        out += (*this)(item);
      } else {
        out += field_text(item);
      }
    }
    return out;
  }
};

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

std::string fenced(const std::string& text, const char* language) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + language + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence;
}

std::string edtrace_markdown(const Rendering& rendering) {
  return std::visit(MarkdownWriter(), rendering.form);
}

}  // namespace lectern
