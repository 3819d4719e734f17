#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.h"
#include "lecture/format.h"
#include "trace/decode.h"
#include "trace/encode.h"
#include "trace/literal.h"

namespace lectern {
namespace {

std::string readable_text(const Value& value, bool quoted);

template <typename List, typename Text>
std::string joined(const List& list, Text text) {
  std::string all;
  for (const auto& item : list) all.append(all.empty() ? "" : ", ").append(text(item));
  return all;
}

/// Elements row by row, from `position` on.
std::string nested(const form::Tensor& tensor, std::size_t dim, std::size_t& position) {
  if (dim == tensor.shape.size()) {
    const std::string json = to_json((*tensor.data)[position++]);
    return json.starts_with('{') ? fmt::format("{}", lectern::number((*tensor.data)[position - 1])) : json;
  }
  std::string all = "[";
  for (std::int64_t i = 0; i < tensor.shape[dim]; ++i) {
    if (i > 0) all += ", ";
    all += nested(tensor, dim + 1, position);
  }
  return all + "]";
}

/// Writes each form of value, within `quoted` text or by itself.
struct Writer {
  const Value& value;
  bool quoted;

  std::string ellipsis(bool empty) const { return !value.size ? "" : empty ? "…" : ", …"; }

  std::string operator()(form::Null /*null*/) const {
    return value.type == "std::nullptr_t" ? "nullptr" : "null";
  }
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(std::int64_t integer) const { return std::to_string(integer); }
  std::string operator()(std::uint64_t integer) const { return std::to_string(integer); }
  std::string operator()(double real) const {
    return std::isfinite(real) ? to_json(real) : fmt::format("{}", real);
  }
  std::string operator()(const std::string& bytes) const {
    const std::string cut = value.size ? "…" : "";
    if (quoted) return literal_text(bytes, is_character(value.type) ? '\'' : '"') + cut;
    if (valid_utf8(bytes)) return bytes + cut;
    const std::string literal = literal_text(bytes);
    return literal.substr(1, literal.size() - 2) + cut;
  }
  std::string operator()(const form::Items& form) const {
    return "[" + joined(form.items, [](const Value& item) { return readable_text(item, true); }) +
           ellipsis(form.items.empty()) + "]";
  }
  std::string operator()(const form::Entries& form) const {
    const auto entry = [](const auto& pair) {
      return readable_text(pair.first, true) + ": " + readable_text(pair.second, true);
    };
    return "{" + joined(form.entries, entry) + ellipsis(form.entries.empty()) + "}";
  }
  std::string operator()(const form::Fields& form) const {
    const auto field = [](const auto& pair) { return pair.first + ": " + readable_text(pair.second, true); };
    return value.type + "{" + joined(form.fields_, field) + "}";
  }
  std::string operator()(const form::Text& form) const { return form.text; }
  template <form::HasPlainText Form>
  std::string operator()(const Form& form) const {
    return form.plain_text();
  }
  std::string operator()(const form::Pointer& form) const {
    const bool empty = form.to->as<form::Null>() != nullptr && form.to->type.empty();
    if (empty) return std::string(empty_text(value.type));
    const std::string lead = lead_text(value, form.to->type);
    return lead + readable_text(*form.to, quoted || !lead.empty());
  }
  std::string operator()(const form::Typed& form) const { return readable_text(*form.value, quoted); }
  std::string operator()(const Boxed<form::Tensor>& form) const {
    const form::Tensor& tensor = *form;
    std::string shown = fmt::format("{} [{}]", tensor.dtype, fmt::join(tensor.shape, ", "));
    if (tensor.data && tensor.indices.empty()) {
      std::size_t position = 0;
      const std::string data = nested(tensor, 0, position);
      shown = tensor.shape.empty() ? data : shown + " " + data;
    }
    if (!tensor.stats) return shown;
    for_each_field<form::Statistics>([&](const auto& field) {
      const auto& figure = (*tensor.stats).*field.member;
      if (figure != std::remove_cvref_t<decltype(figure)>())
        shown.append(", ").append(field.name).append(" ").append(to_json(figure));
    });
    return shown;
  }
  std::string operator()(const form::Storage& form) const { return fmt::format("storage {}", form.storage); }
  std::string operator()(const form::Reference& form) const { return fmt::format("(#{})", form.ref); }
  std::string operator()(const form::Cut& /*form*/) const { return "…"; }
  std::string operator()(const form::Opaque& /*form*/) const { return "(" + value.type + ")"; }
  std::string operator()(const form::Unknown& form) const { return form.json.text; }
};

std::string readable_text(const Value& value, bool quoted) {
  return std::visit(Writer{value, quoted}, value.form);
}

}  // namespace

std::string readable_value(std::string_view json, bool quoted) {
  return readable_text(value_from_json(Json::parse(json)), quoted);
}

}  // namespace lectern
