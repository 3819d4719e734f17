#include "trace/encode.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/characters.h"

namespace lectern {
namespace {

template <typename T>
void append_member(std::string& out, std::string_view name, const T& value) {
  out.append(",\"").append(name).append("\":");
  append_json(out, value);
}

void append_scalar(std::string& out, form::Null) {
  out += "null";
}
void append_scalar(std::string& out, const std::string& text) {
  append_string_value(out, text);
}
template <typename T>
void append_scalar(std::string& out, T number) {
  append_json(out, number);
}

template <typename Form>
constexpr bool kIsScalar =
    std::is_same_v<Form, form::Null> || std::is_arithmetic_v<Form> || std::is_same_v<Form, std::string>;

template <typename Form>
void append_form(std::string& out, const Form& form) {
  append_members(out, form);
}
void append_form(std::string& out, const Boxed<form::Tensor>& tensor) {
  append_members(out, *tensor);
}

}  // namespace

void close_object(std::string& out, std::size_t begin) {
  if (out.size() == begin) {
    out += '{';
  } else {
    out[begin] = '{';
  }
  out += '}';
}

void append_members(std::string& out, const JsonText& object) {
  if (object.text.size() > 2) out.append(",").append(object.text, 1, object.text.size() - 2);
}

void append_json(std::string& out, const Value& value) {
  std::visit(
      [&](const auto& form) {
        using Form = std::remove_cvref_t<decltype(form)>;
        if constexpr (std::is_same_v<Form, form::Unknown>) {
          append_json(out, form.json);
        } else {
          const bool bare = value.type.empty() && value.id == 0 && !value.size && value.unknown.empty();
          if constexpr (kIsScalar<Form>) {
            if (bare) return append_scalar(out, form);
          }
          const std::size_t begin = out.size();
          if (value.id != 0) append_member(out, "id", value.id);
          if (!value.type.empty()) append_member(out, "type", value.type);
          if constexpr (kIsScalar<Form>) {
            out += ",\"value\":";
            append_scalar(out, form);
          } else {
            append_form(out, form);
          }
          if (value.size) append_member(out, "size", *value.size);
          append_members(out, value.unknown);
          close_object(out, begin);
        }
      },
      value.form);
}

void append_json(std::string& out, const Rendering& rendering) {
  std::visit(
      [&](const auto& form) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(form)>, rendering::Unknown>) {
          append_json(out, form.json);
        } else {
          append_rendering(out, form);
          if (rendering.unknown.empty()) return;
          out.pop_back();
          append_members(out, rendering.unknown);
          out += '}';
        }
      },
      rendering.form);
}

/// As people write them: 0.0001.
void append_json(std::string& out, const SiteTolerance& tolerance) {
  out += "{\"names\":";
  append_json(out, tolerance.names);
  const auto append_bound = [&out](std::string_view name, const std::optional<double>& bound) {
    if (!bound) return;
    char text[32];
    char* const end = std::to_chars(text, text + sizeof text, *bound, std::chars_format::general).ptr;
    out.append(",\"").append(name).append("\":").append(text, end);
    if (std::all_of(text, end, is_digit)) out += ".0";
  };
  append_bound("rel", tolerance.rel);
  append_bound("abs", tolerance.abs);
  out += '}';
}

void append_json(std::string& out, const TextSpan& span) {
  append_json(out, std::array{span.line, span.column, span.end_line, span.end_column});
}

void append_json(std::string& out, const SourceLines& lines) {
  out += '[';
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += i == 0 ? "\n" : ",\n";
    append_json_string(out, lines[i]);
  }
  out += ']';
}

}  // namespace lectern
