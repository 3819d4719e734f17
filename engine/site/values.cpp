#include "site/values.h"

#include <algorithm>
#include <optional>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "base/utf8.h"
#include "site/tensor_values.h"
#include "trace/tensor_check.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

constexpr std::size_t kLongString = 400;  // characters of a string shown before the rest is folded away
constexpr std::size_t kFewLeaves = 16;    // of a part of a value that is shown without being asked for
constexpr int kDeepestValue = 64;

std::string whole_html(const Value& value, int depth);
std::string part_html(const Value& value, int depth);

std::string escaped_characters(std::string_view text, char quote) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = next_character(text);
    const std::string escape = escape_sequence(character, quote);
    if (escape.empty()) {
      append_escaped(out, character);
    } else {
      out += "<span class=\"esc\">" + escape_html(escape) + "</span>";
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string none(const std::string& what) {
  return "<span class=\"none\">" + what + "</span>";
}

std::string cut_mark(const std::string& what) {
  return "<span class=\"cut\">\u2026 " + what + "</span>";
}

std::string size_mark(const Value& value, std::size_t shown) {
  return value.size && *value.size > shown ? " " + cut_mark(with_separators(*value.size) + " in all")
                                           : std::string();
}

std::string number_html(const std::string& number) {
  return "<span class=\"num\">" + number + "</span>";
}

// Lists
// ------------------------------------------------------------------------------------------------------------

/// Numbers, booleans and short words need no list of their own.
bool is_small(const Value& value) {
  if (value.id != 0) return false;
  if (const auto* const text = value.as<std::string>())
    return (value.type.empty() || is_character(value.type)) && text->size() <= 40;
  if (const auto* const list = value.as<form::Items>()) {
    return list->items.size() <= 3 &&
           std::all_of(list->items.begin(), list->items.end(),
                       [](const Value& item) { return item.type.empty() && number(item); });
  }
  if (const auto* const pointer = value.as<form::Pointer>()) return is_small(*pointer->to);
  return number(value) || (is_scalar(value) && value.type.empty()) ||
         value.as<form::Reference>() != nullptr || value.as<form::Cut>() != nullptr ||
         value.as<form::Text>() != nullptr || value.as<form::Address>() != nullptr;
}

const form::Items* whole_row(const Value& value) {
  return value.size || value.id != 0 ? nullptr : value.as<form::Items>();
}

/// Rows of numbers, all of one length.
bool is_matrix(const std::vector<Value>& items) {
  if (items.size() < 2) return false;
  const form::Items* const first = whole_row(items.front());
  if (first == nullptr || first->items.size() < 2) return false;
  return std::all_of(items.begin(), items.end(), [&](const Value& item) {
    const form::Items* const row = whole_row(item);
    return row != nullptr && row->items.size() == first->items.size() &&
           std::all_of(row->items.begin(), row->items.end(),
                       [](const Value& cell) { return cell.id == 0 && number(cell); });
  });
}

std::string matrix_html(const std::vector<Value>& items) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table class=\"grid\">";
  for (const Value& row : items) {
    out += "<tr>";
    for (const Value& cell : row.as<form::Items>()->items) out += "<td>" + whole_html(cell, 0) + "</td>";
    out += "</tr>";
  }
  return out + "</table></div>";
}

// Forms
// ------------------------------------------------------------------------------------------------------------

/// Draws the form of a value, which is `depth` levels inside the one that is shown.
struct FormHtml {
  const Value& value;
  int depth;

  std::string inner(const Value& part) const { return part_html(part, depth + 1); }
  /// What the value stands for is not a part of it.
  std::string meant(const Value& other) const {
    return depth == 0 ? whole_html(other, depth + 1) : inner(other);
  }

  std::string operator()(form::Null) const { return none(value_text(value)); }
  std::string operator()(bool form) const {
    return form ? "<span class=\"num\">true</span>" : "<span class=\"num\">false</span>";
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number> std::string operator()(Number form) const {
    return number_html(show_number(form));
  }

  std::string operator()(const std::string& form) const {
    const std::string tail =
        value.size ? " " + cut_mark(with_separators(*value.size) + " bytes in all") : std::string();
    const char quote = is_character(value.type) ? '\'' : '"';
    const auto literal = [quote](std::string_view part) {
      return "<code class=\"str\">" + (quote + escaped_characters(part, quote) + quote) + "</code>";
    };
    if (first_characters(form, kLongString).size() == form.size()) return literal(form) + tail;
    return "<details class=\"long\"><summary>" + literal(first_characters(form, kLongString / 2)) + " " +
           cut_mark(with_separators(character_count(form)) + " characters") + "</summary>" + literal(form) +
           tail + "</details>";
  }

  std::string operator()(const form::Items& form) const {
    const std::vector<Value>& items = form.items;
    const std::string mark = size_mark(value, items.size());
    if (items.empty()) return none("empty") + mark;
    if (is_matrix(items)) return matrix_html(items) + mark;
    const bool in_line = std::all_of(items.begin(), items.end(), is_small);
    std::string out = in_line ? "<span class=\"seq\">[" : "<ol class=\"items\" start=\"0\">";
    for (const Value& item : items) {
      if (in_line && &item != &items.front()) out += ", ";
      out += in_line ? inner(item) : "<li>" + inner(item) + "</li>";
    }
    return out + (in_line ? "]</span>" : "</ol>") + mark;
  }

  std::string operator()(const form::Entries& form) const {
    const std::string mark = size_mark(value, form.entries.size());
    if (form.entries.empty()) return none("empty") + mark;
    std::string out = "<div class=\"scroll\" tabindex=\"0\"><table class=\"map\">";
    for (const auto& [key, mapped] : form.entries)
      out += "<tr><th scope=\"row\">" + inner(key) + "</th><td>" + inner(mapped) + "</td></tr>";
    return out + "</table></div>" + mark;
  }

  std::string operator()(const form::Fields& form) const {
    if (form.fields_.empty()) return none("no fields");
    std::string out = "<dl class=\"fields\">";
    for (const auto& [name, field] : form.fields_)
      out += "<dt>" + escape_html(name) + "</dt><dd>" + inner(field) + "</dd>";
    return out + "</dl>";
  }

  template <form::HasPlainText Form>
  std::string operator()(const Form& form) const {
    return "<span class=\"num\">" + escape_html(form.plain_text()) + "</span>";
  }
  std::string operator()(const form::Problem& form) const {
    return "<span class=\"problem\">" + escape_html(form.error) + "</span>";
  }
  std::string operator()(const form::Text& form) const {
    const std::string text = "<code>" + escape_html(form.text) + "</code>";
    if (!form.value) return text;
    return text + " <span class=\"cut\">= " + number_html(show_number(*form.value)) + "</span>";
  }

  std::string operator()(const form::Pointer& form) const {
    const bool empty = form.to->as<form::Null>() != nullptr && form.to->type.empty();
    if (empty) return none(std::string(empty_text(value.type)));
    const std::string lead = lead_text(value, value_type(*form.to));
    const std::string_view role = lead.starts_with("\u2192") ? "aria-hidden=\"true\"" : "class=\"ty\"";
    return "<span class=\"to\"><span " + std::string(role) + ">" + escape_html(lead) + "</span>" +
           meant(*form.to) + "</span>";
  }
  std::string operator()(const Boxed<form::Tensor>& form) const { return tensor_html(*form, depth > 0); }
  std::string operator()(const form::Storage& form) const { return storage_html(form); }
  std::string operator()(const form::Reference& form) const {
    return "<span class=\"share\">the same as #" + std::to_string(form.ref) + "</span>";
  }
  std::string operator()(const form::Cut&) const {
    return "<span class=\"cut\" title=\"Left out: the value is large\">\u2026</span>";
  }
  std::string operator()(const form::Typed& form) const { return meant(*form.value); }
  std::string operator()(const form::Opaque&) const {
    const std::string shown = none(escape_html(short_type(value.type)));
    const bool own = !value.type.starts_with("std::") && value.type.find("lambda") == std::string::npos;
    if (!own) return shown;
    const bool is_union = value.type.starts_with("union ") || value.type == "anonymous union";
    const std::string remedy = std::string(is_union ? "its members are not read; " : "") +
                               "an operator&lt;&lt; or to_value would show more";
    if (depth > 0) return "<span title=\"" + remedy + "\">" + shown + "</span>";
    return shown + " <span class=\"cut\">(" + remedy + ")</span>";
  }
  std::string operator()(const form::Unknown& form) const {
    return "<code>" + escape_html(form.json.text) + "</code>";
  }
};

// Trees
// ------------------------------------------------------------------------------------------------------------

/// What is in a value.
struct Contents {
  std::size_t leaves = 0;  ///< with each element of a tensor that the trace has
  std::uint64_t tensors = 0, elements = 0;

  void add(const Value& value, int depth) {
    if (depth > kDeepestValue) return;
    if (const auto* const items = value.as<form::Items>()) {
      for (const Value& item : items->items) add(item, depth + 1);
    } else if (const auto* const entries = value.as<form::Entries>()) {
      for (const auto& [key, mapped] : entries->entries) add(mapped, depth + 1);
    } else if (const auto* const fields = value.as<form::Fields>()) {
      for (const auto& [name, field] : fields->fields_) add(field, depth + 1);
    } else if (const auto* const pointer = value.as<form::Pointer>()) {
      add(*pointer->to, depth + 1);
    } else if (const auto* const typed = value.as<form::Typed>()) {
      add(*typed->value, depth + 1);
    } else if (const auto* const tensor = value.as<Boxed<form::Tensor>>()) {
      ++tensors;
      elements += element_count(**tensor);
      leaves += (*tensor)->data ? (*tensor)->data->size() : 1;
    } else {
      ++leaves;
    }
  }
};

/// "3 fields", or the tensors of a model.
std::string amount_text(const Value& value, const Contents& contents) {
  if (contents.tensors > 0) {
    return counted(contents.tensors, "tensor", "tensors") + ", " +
           counted(contents.elements, "element", "elements");
  }
  if (const auto* const fields = value.as<form::Fields>())
    return counted(fields->fields_.size(), "field", "fields");
  if (const auto* const entries = value.as<form::Entries>())
    return counted(value.size.value_or(entries->entries.size()), "entry", "entries");
  return counted(value.size.value_or(value.as<form::Items>()->items.size()), "element", "elements");
}

std::string whole_html(const Value& value, int depth) {
  if (depth > kDeepestValue) return "<span class=\"cut\">\u2026</span>";
  const std::string mark =
      value.id == 0 ? "" : "<span class=\"share\">#" + std::to_string(value.id) + "</span> ";
  return mark + std::visit(FormHtml{value, depth}, value.form);
}

/// What is larger than a few leaves opens on demand.
std::string part_html(const Value& value, int depth) {
  std::string html = whole_html(value, depth);
  if (!value.as<form::Fields>() && !value.as<form::Entries>() && !value.as<form::Items>()) return html;
  Contents contents;
  contents.add(value, depth);
  if (contents.leaves <= kFewLeaves) return html;
  return "<details class=\"tree\"><summary><span class=\"ty\">" + escape_html(value_type(value)) +
         "</span> <span class=\"total\">" + amount_text(value, contents) + "</span></summary>" + html +
         "</details>";
}

}  // namespace

ShownValue show_value(const Value& value) {
  return {value_type(value), value_text(value), whole_html(value, 0)};
}

}  // namespace lectern
