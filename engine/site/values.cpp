#include "site/values.h"

#include <algorithm>
#include <optional>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "base/utf8.h"
#include "site/tensor_values.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

constexpr std::size_t kLongString = 400;  // characters of a string shown before the rest is folded away
constexpr int kDeepest = 64;

std::string value_html(const Value& value, int depth);

std::string escaped_characters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = next_character(text);
    const std::string escape = escape_sequence(character);
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

std::string number_html(const ShownNumber& number) {
  if (number.exact.empty()) return "<span class=\"num\">" + number.text + "</span>";
  return "<span class=\"num\" tabindex=\"0\" title=\"" + number.exact + "\">" + number.text + "</span>";
}

// Lists
// ------------------------------------------------------------------------------------------------------------

/// Numbers, booleans and short words need no list of their own.
bool is_small(const Value& value) {
  if (value.id != 0) return false;
  if (const auto* const text = value.as<std::string>()) return value.type.empty() && text->size() <= 40;
  if (const auto* const list = value.as<form::Items>()) {
    return list->items.size() <= 3 &&
           std::all_of(list->items.begin(), list->items.end(),
                       [](const Value& item) { return item.type.empty() && number(item); });
  }
  return number(value) || (is_scalar(value) && value.type.empty()) ||
         value.as<form::Reference>() != nullptr || value.as<form::Cut>() != nullptr ||
         value.as<form::Text>() != nullptr;
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
    for (const Value& cell : row.as<form::Items>()->items) out += "<td>" + value_html(cell, 0) + "</td>";
    out += "</tr>";
  }
  return out + "</table></div>";
}

// Forms
// ------------------------------------------------------------------------------------------------------------

std::string form_html(form::Null /*form*/, const Value& /*value*/, int /*depth*/) {
  return none("null");
}

std::string form_html(bool form, const Value& /*value*/, int /*depth*/) {
  return form ? "<span class=\"num\">true</span>" : "<span class=\"num\">false</span>";
}

template <typename Number>
requires std::is_arithmetic_v<Number> std::string form_html(Number form, const Value& /*value*/,
                                                            int /*depth*/) {
  return number_html(show_number(form));
}

std::string form_html(const std::string& form, const Value& value, int /*depth*/) {
  const std::string tail =
      value.size ? " " + cut_mark(with_separators(*value.size) + " bytes in all") : std::string();
  const auto literal = [](std::string_view part) {
    return "<code class=\"str\">\"" + escaped_characters(part) + "\"</code>";
  };
  if (first_characters(form, kLongString).size() == form.size()) return literal(form) + tail;
  return "<details class=\"long\"><summary>" + literal(first_characters(form, kLongString / 2)) + " " +
         cut_mark(with_separators(character_count(form)) + " characters") + "</summary>" + literal(form) +
         tail + "</details>";
}

std::string form_html(const form::Items& form, const Value& value, int depth) {
  const std::vector<Value>& items = form.items;
  const std::string mark = size_mark(value, items.size());
  if (items.empty()) return none("empty") + mark;
  if (is_matrix(items)) return matrix_html(items) + mark;
  if (std::all_of(items.begin(), items.end(), is_small)) {
    std::string out = "<span class=\"seq\">[";
    for (const Value& item : items) {
      if (&item != &items.front()) out += ", ";
      out += value_html(item, depth + 1);
    }
    return out + "]</span>" + mark;
  }
  std::string out = "<ol class=\"items\" start=\"0\">";
  for (const Value& item : items) out += "<li>" + value_html(item, depth + 1) + "</li>";
  return out + "</ol>" + mark;
}

std::string form_html(const form::Entries& form, const Value& value, int depth) {
  if (form.entries.empty()) return none("empty") + size_mark(value, 0);
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table class=\"map\">";
  for (const auto& [key, mapped] : form.entries) {
    out += "<tr><th scope=\"row\">" + value_html(key, depth + 1) + "</th><td>" +
           value_html(mapped, depth + 1) + "</td></tr>";
  }
  return out + "</table></div>" + size_mark(value, form.entries.size());
}

std::string form_html(const form::Fields& form, const Value& /*value*/, int depth) {
  if (form.fields_.empty()) return none("no fields");
  std::string out = "<dl class=\"fields\">";
  for (const auto& [name, field] : form.fields_)
    out += "<dt>" + escape_html(name) + "</dt><dd>" + value_html(field, depth + 1) + "</dd>";
  return out + "</dl>";
}

std::string form_html(const form::Text& form, const Value& /*value*/, int /*depth*/) {
  const std::string text = "<code>" + escape_html(form.text) + "</code>";
  return form.value ? text + " <span class=\"cut\">= " + number_html(show_number(*form.value)) + "</span>"
                    : text;
}

std::string form_html(const form::Pointer& form, const Value& /*value*/, int depth) {
  if (form.to->as<form::Null>() != nullptr) return none("empty");
  return "<span class=\"to\"><span aria-hidden=\"true\">\u2192</span> " + value_html(*form.to, depth + 1) +
         "</span>";
}

std::string form_html(const Boxed<form::Tensor>& form, const Value& /*value*/, int depth) {
  return tensor_html(*form, depth > 0);
}

std::string form_html(const form::Storage& form, const Value& /*value*/, int /*depth*/) {
  return storage_html(form);
}

std::string form_html(const form::Reference& form, const Value& /*value*/, int /*depth*/) {
  return "<span class=\"share\">the same as #" + std::to_string(form.ref) + "</span>";
}

std::string form_html(const form::Cut& /*form*/, const Value& /*value*/, int /*depth*/) {
  return "<span class=\"cut\" title=\"Left out: the value is large\">\u2026</span>";
}

std::string form_html(const form::Typed& form, const Value& /*value*/, int depth) {
  return value_html(*form.value, depth + 1);
}

std::string form_html(const form::Opaque& /*form*/, const Value& value, int /*depth*/) {
  return none(escape_html(short_type(value.type)));
}

std::string form_html(const form::Unknown& form, const Value& /*value*/, int /*depth*/) {
  return "<code>" + escape_html(form.json.text) + "</code>";
}

std::string value_html(const Value& value, int depth) {
  if (depth > kDeepest) return "<span class=\"cut\">\u2026</span>";
  const std::string mark =
      value.id == 0 ? "" : "<span class=\"share\">#" + std::to_string(value.id) + "</span> ";
  return mark + std::visit([&](const auto& form) { return form_html(form, value, depth); }, value.form);
}

}  // namespace

ShownValue show_value(const Value& value) {
  return {value_type(value), value_text(value), value_html(value, 0)};
}

}  // namespace lectern
