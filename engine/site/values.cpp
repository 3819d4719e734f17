#include "site/values.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/utf8.h"
#include "site/html.h"
#include "site/numbers.h"
#include "site/tensor_values.h"
#include "trace/json_fields.h"

namespace lectern {
namespace {

constexpr std::size_t kLongString = 400;  // characters of a string shown before the rest is folded away
constexpr int kDeepest = 64;

std::optional<std::uint64_t> size_field(const Json& object) {
  const Json* const size = member(object, "size");
  return size != nullptr && size->is_number_unsigned() ? std::optional(size->get<std::uint64_t>())
                                                       : std::nullopt;
}

/// The number that a value is, through {"type","value"} and {"float"}.
std::optional<ShownNumber> as_number(const Json& value) {
  if (value.is_number_unsigned()) return show_number(value.get<std::uint64_t>());
  if (value.is_number_integer()) return show_number(value.get<std::int64_t>());
  if (value.is_number_float()) return show_number(value.get<double>());
  if (!value.is_object() || value.contains("id")) return std::nullopt;
  const std::string special = text_member(value, "float");
  if (special == "nan") return ShownNumber{"NaN", {}};
  if (special == "inf") return ShownNumber{"\u221E", {}};
  if (special == "-inf") return ShownNumber{"\u2212\u221E", {}};
  const Json* const inner = member(value, "value");
  if (inner == nullptr || value.contains("text") || value.contains("size")) return std::nullopt;
  return as_number(*inner);
}

/// A character of a string as a C++ programmer would write it; empty when it stands as it is.
std::string escape_of(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  switch (byte) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\0':
      return "\\0";
    default:
      break;
  }
  if (byte < ' ' || byte == 0x7F || utf8_character(character) == 0) return fmt::format("\\x{:02X}", byte);
  // Marks that turn the direction of text, or that nobody sees.
  for (const std::string_view invisible :
       {"\u200B", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2028", "\u2029",
        "\u2066", "\u2067", "\u2068", "\u2069", "\uFEFF"}) {
    if (character != invisible) continue;
    return fmt::format("\\u{:04X}", static_cast<unsigned>(utf8_code_point(character)));
  }
  return {};
}

std::string_view next_character(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(1, utf8_character(text)));
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end += next_character(text.substr(end)).size();
  return text.substr(0, end);
}

std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::string_view character = next_character(text);
    const std::string escape = escape_of(character);
    out += escape.empty() ? std::string(character) : escape;
    text.remove_prefix(character.size());
  }
  return out + "\"";
}

std::string escaped_characters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view character = next_character(text);
    const std::string escape = escape_of(character);
    if (escape.empty()) {
      append_escaped(out, character);
    } else {
      out += "<span class=\"esc\">" + escape_html(escape) + "</span>";
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string cut_mark(const std::string& what) {
  return "<span class=\"cut\">\u2026 " + what + "</span>";
}

std::string string_html(std::string_view text, std::optional<std::uint64_t> bytes) {
  const std::string tail = bytes ? " " + cut_mark(with_separators(*bytes) + " bytes in all") : std::string();
  const std::string_view shown = first_characters(text, kLongString);
  const auto literal = [](std::string_view part) {
    return "<code class=\"str\">\"" + escaped_characters(part) + "\"</code>";
  };
  if (shown.size() == text.size()) return literal(text) + tail;
  return "<details class=\"long\"><summary>" + literal(first_characters(text, kLongString / 2)) + " " +
         cut_mark(with_separators(character_count(text)) + " characters") + "</summary>" + literal(text) +
         tail + "</details>";
}

// One line of text
// -------------------------------------------------------------------------------------------------

class LineOfText {
 public:
  explicit LineOfText(std::size_t limit) : limit_(limit) {}

  std::string of(const Json& value) {
    add(value, 0);
    if (character_count(out_) <= limit_) return out_;
    return std::string(first_characters(out_, limit_ - 1)) + "\u2026";
  }

 private:
  bool full() const { return out_.size() > limit_ * 4; }

  enum class Names { none, keys, fields };

  void add_list(const Json& items, Names names, bool cut, int depth) {
    out_ += names == Names::none ? '[' : '{';
    bool first = true;
    for (const Json& item : items) {
      if (full()) break;
      if (!first) out_ += ", ";
      first = false;
      if (names == Names::none || !item.is_array() || item.size() != 2) {
        add(item, depth + 1);
        continue;
      }
      if (names == Names::fields && item[0].is_string()) {
        out_ += item[0].get<std::string>();
      } else {
        add(item[0], depth + 1);
      }
      out_ += ": ";
      add(item[1], depth + 1);
    }
    if (cut) out_ += first ? "\u2026" : ", \u2026";
    out_ += names == Names::none ? ']' : '}';
  }

  void add(const Json& value, int depth) {
    if (full() || depth > kDeepest) return;
    if (const auto number = as_number(value)) {
      out_ += number->text;
    } else if (value.is_null()) {
      out_ += "null";
    } else if (value.is_boolean()) {
      out_ += value.get<bool>() ? "true" : "false";
    } else if (value.is_string()) {
      out_ += quoted_text(first_characters(value.get_ref<const std::string&>(), limit_ + 1));
    } else if (value.is_object()) {
      add_object(value, depth);
    } else {
      out_ += "\u2026";
    }
  }

  void add_object(const Json& value, int depth) {
    if (is_tensor(value)) {
      out_ += tensor_text(value);
      return;
    }
    if (is_storage(value)) {
      out_ += text_of_html(storage_html(value));
      return;
    }
    const bool cut = value.contains("size");
    if (const Json* const items = member(value, "items")) {
      add_list(*items, Names::none, cut, depth);
    } else if (const Json* const entries = member(value, "entries")) {
      add_list(*entries, Names::keys, cut, depth);
    } else if (const Json* const fields = member(value, "fields")) {
      add_list(*fields, Names::fields, cut, depth);
    } else if (value.contains("text")) {
      out_ += text_member(value, "text");
    } else if (const Json* const target = member(value, "to")) {
      if (target->is_null()) {
        out_ += "empty";
      } else {
        out_ += "\u2192 ";
        add(*target, depth + 1);
      }
    } else if (value.contains("ref")) {
      out_ += "#" + value["ref"].dump();
    } else if (value.contains("bytes")) {
      out_ += quoted_text(first_characters(string_bytes(value), limit_ + 1));
    } else if (value.contains("cut")) {
      out_ += "\u2026";
    } else if (const Json* const inner = member(value, "value")) {
      add(*inner, depth + 1);
      if (cut) out_ += "\u2026";
    } else {
      out_ += short_type(text_member(value, "type"));
    }
  }

  std::string out_;
  std::size_t limit_;
};

// HTML
// -------------------------------------------------------------------------------------------------------------

std::string html_of(const Json& value, int depth);

std::string number_html(const ShownNumber& number) {
  if (number.exact.empty()) return "<span class=\"num\">" + number.text + "</span>";
  return "<span class=\"num\" tabindex=\"0\" title=\"" + number.exact + "\">" + number.text + "</span>";
}

/// Numbers, booleans and short words need no list of their own.
bool is_small(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().size() <= 40;
  if (value.is_primitive() || as_number(value)) return true;
  if (!value.is_object() || value.contains("id")) return false;
  if (const Json* const items = member(value, "items")) {
    return items->size() <= 3 &&
           std::all_of(items->begin(), items->end(), [](const Json& item) { return item.is_number(); });
  }
  return value.contains("ref") || value.contains("cut") || value.contains("text") || value.contains("bytes");
}

const Json* row_items(const Json& value) {
  if (!value.is_object() || value.contains("size") || value.contains("id")) return nullptr;
  return member(value, "items");
}

/// Rows of numbers, all of one length.
bool is_matrix(const Json& items) {
  if (items.size() < 2) return false;
  const Json* const first = row_items(items.front());
  if (first == nullptr || first->size() < 2) return false;
  return std::all_of(items.begin(), items.end(), [&](const Json& item) {
    const Json* const row = row_items(item);
    return row != nullptr && row->size() == first->size() &&
           std::all_of(row->begin(), row->end(),
                       [](const Json& cell) { return as_number(cell).has_value(); });
  });
}

std::string grid_html(const Json& items) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table class=\"grid\">";
  for (const Json& item : items) {
    out += "<tr>";
    for (const Json& cell : *row_items(item)) out += "<td>" + number_html(*as_number(cell)) + "</td>";
    out += "</tr>";
  }
  return out + "</table></div>";
}

std::string size_mark(const Json& value, std::size_t shown) {
  const auto size = size_field(value);
  return size && *size > shown ? " " + cut_mark(with_separators(*size) + " in all") : std::string();
}

std::string items_html(const Json& value, const Json& items, int depth) {
  if (items.empty()) return "<span class=\"none\">empty</span>" + size_mark(value, 0);
  if (is_matrix(items)) return grid_html(items) + size_mark(value, items.size());
  if (std::all_of(items.begin(), items.end(), is_small)) {
    std::string out = "<span class=\"seq\">[";
    for (const Json& item : items) {
      if (&item != &items.front()) out += ", ";
      out += html_of(item, depth + 1);
    }
    return out + "]</span>" + size_mark(value, items.size());
  }
  std::string out = "<ol class=\"items\" start=\"0\">";
  for (const Json& item : items) out += "<li>" + html_of(item, depth + 1) + "</li>";
  return out + "</ol>" + size_mark(value, items.size());
}

std::string entries_html(const Json& value, const Json& entries, int depth) {
  if (entries.empty()) return "<span class=\"none\">empty</span>" + size_mark(value, 0);
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table class=\"map\">";
  for (const Json& entry : entries) {
    if (!entry.is_array() || entry.size() != 2) {
      out += "<tr><td colspan=\"2\">" + html_of(entry, depth + 1) + "</td></tr>";
      continue;
    }
    out += "<tr><th scope=\"row\">" + html_of(entry[0], depth + 1) + "</th><td>" +
           html_of(entry[1], depth + 1) + "</td></tr>";
  }
  return out + "</table></div>" + size_mark(value, entries.size());
}

std::string fields_html(const Json& fields, int depth) {
  if (!fields.is_array() || fields.empty()) return "<span class=\"none\">no fields</span>";
  std::string out = "<dl class=\"fields\">";
  for (const Json& pair : fields) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) {
      out += "<dt>\u2026</dt><dd>" + html_of(pair, depth + 1) + "</dd>";
      continue;
    }
    out += "<dt>" + escape_html(pair[0].get_ref<const std::string&>()) + "</dt><dd>" +
           html_of(pair[1], depth + 1) + "</dd>";
  }
  return out + "</dl>";
}

std::string object_html(const Json& value, int depth) {
  if (is_tensor(value)) return tensor_html(value, depth > 0);
  if (is_storage(value)) return storage_html(value);
  const Json* part = nullptr;
  if ((part = member(value, "items")) != nullptr) return items_html(value, *part, depth);
  if ((part = member(value, "entries")) != nullptr) return entries_html(value, *part, depth);
  if ((part = member(value, "fields")) != nullptr) return fields_html(*part, depth);
  if (value.contains("text")) {
    std::string out = "<code>" + escape_html(text_member(value, "text")) + "</code>";
    if ((part = member(value, "value")) != nullptr)
      out += " <span class=\"cut\">= " + html_of(*part, depth + 1) + "</span>";
    return out;
  }
  if ((part = member(value, "to")) != nullptr) {
    if (part->is_null()) return "<span class=\"none\">empty</span>";
    return "<span class=\"to\"><span aria-hidden=\"true\">\u2192</span> " + html_of(*part, depth + 1) +
           "</span>";
  }
  if ((part = member(value, "ref")) != nullptr) {
    return "<span class=\"share\">the same as #" + escape_html(part->dump()) + "</span>";
  }
  if (value.contains("bytes")) return string_html(string_bytes(value), std::nullopt);
  if (value.contains("cut"))
    return "<span class=\"cut\" title=\"Left out: the value is large\">\u2026</span>";
  if ((part = member(value, "value")) != nullptr) {
    if (part->is_string()) return string_html(part->get_ref<const std::string&>(), size_field(value));
    return html_of(*part, depth + 1);
  }
  return "<span class=\"none\">" + escape_html(short_type(text_member(value, "type"))) + "</span>";
}

std::string html_of(const Json& value, int depth) {
  if (depth > kDeepest) return "<span class=\"cut\">\u2026</span>";
  if (const auto number = as_number(value)) return number_html(*number);
  if (value.is_null()) return "<span class=\"none\">null</span>";
  if (value.is_boolean())
    return value.get<bool>() ? "<span class=\"num\">true</span>" : "<span class=\"num\">false</span>";
  if (value.is_string()) return string_html(value.get_ref<const std::string&>(), std::nullopt);
  if (!value.is_object()) return "<code>" + escape_html(value.dump()) + "</code>";
  const Json* const id = member(value, "id");
  const std::string mark =
      id == nullptr ? "" : "<span class=\"share\">#" + escape_html(id->dump()) + "</span> ";
  return mark + object_html(value, depth);
}

}  // namespace

std::string string_bytes(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_object() ? from_hexadecimal(text_member(value, "bytes")) : std::string();
}

std::string value_text(const Json& value, std::size_t limit) {
  return LineOfText(limit).of(value);
}

std::string value_html(const Json& value) {
  return html_of(value, 0);
}

ShownValue show_value(const Json& value) {
  if (is_tensor(value)) return {tensor_type(value), value_text(value), value_html(value)};
  const std::string type = value.is_object() ? text_member(value, "type") : std::string();
  return {short_type(type), value_text(value), value_html(value)};
}

}  // namespace lectern
