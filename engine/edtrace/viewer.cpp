#include "edtrace/viewer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/terminal.h"
#include "base/utf8.h"
#include "trace/encode.h"
#include "trace/tensor_check.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

constexpr const char* kEllipsis = "\u2026";

std::string whole_text(const Value& value) {
  return value_text(value, std::size_t{1} << 24);
}

std::string member_name(const std::string& text) {
  return valid_utf8(text) ? text : whole_text({.form = text});
}

std::string member_name(const Value& value) {
  const auto* const text = value.as<std::string>();
  return text != nullptr ? member_name(*text) : whole_text(value);
}

/// JSON has no NaN and infinities: the viewer shows their names. Integers that the viewer would round are
/// text, which it leaves as it is.
template <typename Number>
Json number_json(Number number) {
  constexpr double kRoundedFrom = 1e12;
  const auto real = static_cast<double>(number);
  const bool is_text =
      std::is_floating_point_v<Number> ? !std::isfinite(real) : std::abs(real) > kRoundedFrom;
  return is_text ? Json(std::to_string(number)) : Json(number);
}

/// Nested lists from dimension `d` on, out of the elements from `next` on. Where positions are left out there
/// is a gap.
Json nested_lists(const form::Tensor& tensor, const std::vector<std::vector<std::int64_t>>& positions,
                  std::size_t d, std::size_t& next) {
  if (d == positions.size())
    return std::visit([](auto element) { return number_json(element); }, (*tensor.data)[next++]);
  Json gap = kEllipsis;
  for (std::size_t inner = d + 1; inner < positions.size(); ++inner) gap = Json::array({gap});
  Json list = Json::array();
  std::int64_t expected = 0;
  for (const std::int64_t position : positions[d]) {
    if (position != expected) list.push_back(gap);
    expected = position + 1;
    list.push_back(nested_lists(tensor, positions, d + 1, next));
  }
  return list;
}

struct ContentsWriter {
  bool with_types;

  /// `type` is the value's own, or that of a value which this one is the value of.
  Json write(const Value& value, const std::string& type) const {
    if (type == "NoneType" || value.as<form::Null>() != nullptr)
      return with_types ? typed("NoneType", "None") : Json();
    return std::visit([&](const auto& form) { return write_form(value, type, form); }, value.form);
  }

 private:
  Json typed(const std::string& type, Json contents) const {
    if (!with_types) return contents;
    return {{"type", type}, {"contents", std::move(contents)}};
  }

  template <typename Form>
  Json write_form(const Value& value, const std::string& type, const Form& form) const {
    const auto type_or = [&type](const char* other) { return type.empty() ? other : type; };
    if constexpr (std::is_arithmetic_v<Form>) {
      // Of Python's types alone the viewer rounds numbers and groups their digits.
      constexpr bool kReal = std::is_floating_point_v<Form>, kBool = std::is_same_v<Form, bool>;
      return typed(kBool ? "bool" : kReal ? "float" : "int", number_json(form));
    } else if constexpr (std::is_same_v<Form, std::string>) {
      return typed(type_or("str"), member_name(form) + (value.size ? kEllipsis : ""));
    } else if constexpr (std::is_same_v<Form, form::Items>) {
      Json list = Json::array();
      for (const Value& item : form.items) list.push_back(write(item, item.type));
      if (value.size) list.push_back(typed("str", kEllipsis));
      return typed(type_or("list"), std::move(list));
    } else if constexpr (std::is_same_v<Form, form::Entries>) {
      return typed(type_or("dict"), members(form.entries, value));
    } else if constexpr (std::is_same_v<Form, form::Fields>) {
      return typed(type_or("dict"), members(form.fields_, value));
    } else if constexpr (std::is_same_v<Form, form::Pointer>) {
      return write(*form.to, form.to->type);
    } else if constexpr (std::is_same_v<Form, form::Typed>) {
      return write(*form.value, type.empty() ? form.value->type : type);
    } else if constexpr (std::is_same_v<Form, Boxed<form::Tensor>>) {
      return tensor(type_or("Tensor"), *form);
    } else {
      return typed(type_or("str"), whole_text(value));
    }
  }

  template <typename Key>
  Json members(const std::vector<Pair<Key, Value>>& pairs, const Value& value) const {
    Json::object_t members;  // not looked for: of equal keys the viewer shows the last
    for (const auto& [key, item] : pairs) members.emplace_back(member_name(key), write(item, item.type));
    if (value.size) members.emplace_back(kEllipsis, typed("str", kEllipsis));
    return members;
  }

  Json tensor(const std::string& type, const form::Tensor& tensor) const {
    // The viewer looks into the first of three dimensions' rows, even where there is none.
    if (!tensor.data || (is_empty(tensor) && tensor.shape.size() >= 3))
      return typed(type, tensor.dtype + Json(tensor.shape).dump());
    std::size_t next = 0;
    Json made = typed("torch.Tensor", nested_lists(tensor, data_positions(tensor), 0, next));
    if (!with_types) return made;
    made["dtype"] = (tensor.dtype.empty() ? "" : "torch.") + tensor.dtype;
    made["shape"] = tensor.shape;
    return made;
  }
};

std::string indented_json(const std::string& json) {
  return fenced(Json::parse(json).dump(2), "json");
}

/// Turns Markdown into what a certain viewer shows so.
using ForViewer = std::string (*)(std::string_view);

std::string table_row(std::vector<std::string> cells, std::size_t columns, ForViewer for_viewer) {
  cells.resize(columns);
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : for_viewer(cell)) {
      if (c == '|' && !out.ends_with('\\')) out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    out += " |";
  }
  return out + "\n";
}

struct MarkdownWriter {
  ForViewer for_viewer;

  std::string operator()(int /*width*/) const { return {}; }
  std::string operator()(const std::string& markdown) const { return for_viewer(markdown); }
  std::string operator()(const rendering::Text& text) const { return for_viewer(text.markdown); }
  std::string operator()(const rendering::Verbatim& verbatim) const { return fenced(verbatim.text); }

  std::string operator()(const rendering::Term& term) const {
    if (term.definition.empty()) return for_viewer(term.name);
    return "**" + for_viewer(term.name) + "** (" + for_viewer(term.definition) + ")";
  }

  std::string operator()(const rendering::Table& table) const {
    std::size_t columns = table.header.size();
    for (const auto& row : table.rows) columns = std::max(columns, row.size());
    std::string out = table_row(table.header, columns, for_viewer) +
                      table_row(std::vector<std::string>(columns, "---"), columns, for_viewer);
    for (const auto& row : table.rows) out += table_row(row, columns, for_viewer);
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
    return fenced(inspected.name + " = " + to_text(value).text);
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

  /// What a reader of the lecture is told; the rest is for pages.
  std::string operator()(const rendering::Front& front) const {
    std::string out = front.title.empty() ? "**front**" : "**" + for_viewer(front.title) + "**";
    const auto add = [&](std::string_view name, const std::string& text) {
      if (!text.empty()) out.append("\n\n**").append(name).append(":** ").append(text);
    };
    add("date", for_viewer(front.date));
    add("authors", (*this)(front.authors));
    add("tags", (*this)(front.tags));
    add("description", for_viewer(front.description));
    add("course", for_viewer(front.course));
    add("series", for_viewer(front.series));
    return out;
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
      const std::string text = (*this)(object.*field.member);
      if (text.empty() || field.name == "caption") return;
      if (!out.empty()) out += "\n\n";
      const bool is_title = field.name == "title" || field.name == "type";
      if (field.name != "markdown" && !is_title) out.append("**").append(field.name).append(":** ");
      out += is_title ? "**" + text + "**" : text;
    });
    if constexpr (requires { T::kKind; }) {
      if (!out.starts_with("**")) out = "**" + std::string(T::kKind) + "**\n\n" + out;
    }
    return out;
  }

  template <typename Item>
  std::string operator()(const std::vector<Item>& list) const {
    std::string out;
    for (const Item& item : list) {
      if (!out.empty()) out += HasFields<Item> ? "\n\n" : ", ";
      out += (*this)(item);
    }
    return out;
  }
};

}  // namespace

Json value_to_edtrace(const Value& value, EdtraceGeneration generation) {
  Json json = ContentsWriter{generation == EdtraceGeneration::later}.write(value, value.type);
  return json.is_null() ? "None" : json;  // null would say that there is no such variable
}

std::string fenced(const std::string& text, const char* language) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fence + language + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence;
}

std::string edtrace_markdown(const Rendering& rendering) {
  return std::visit(MarkdownWriter{for_edtrace_viewer}, rendering.form);
}

std::string portable_markdown(const Rendering& rendering) {
  return std::visit(MarkdownWriter{portable_markdown}, rendering.form);
}

}  // namespace lectern
