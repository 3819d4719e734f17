#include "record/inspect.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <sstream>

#include "base/json_text.h"
#include "base/utf8.h"
#include "trace/encode.h"

namespace lectern {
namespace values {
namespace {

/// What is shown in place of a value whose writing threw.
std::string thrown_text(std::string_view type) {
  std::string what = "(an exception was thrown while this was shown)";
  try {
    throw;
  } catch (const std::exception& error) {
    what = std::string("(thrown while this was shown: ") + error.what() + ")";
  } catch (...) {
  }
  std::string json;
  ValueWriter(json).text(type, what);
  return json;
}

}  // namespace

void write_wide(ValueWriter& out, std::u16string_view text) {
  std::string utf8;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t unit = text[i];
    const bool high = unit >= 0xD800 && unit < 0xDC00;
    if (high && i + 1 < text.size() && text[i + 1] >= 0xDC00 && text[i + 1] < 0xE000) {
      append_utf8(utf8, 0x10000 + ((unit - 0xD800) << 10) + (text[++i] - 0xDC00u));
    } else {
      append_utf8(utf8, unit);
    }
  }
  out.string(utf8);
}

void write_wide(ValueWriter& out, std::u32string_view text) {
  std::string utf8;
  for (const char32_t code_point : text) append_utf8(utf8, code_point);
  out.string(utf8);
}

void write_int128(ValueWriter& out, std::string_view type, bool negative, UInt128 magnitude) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  out.text(type, digits);
}

template <typename Count>
void write_duration(ValueWriter& out, std::string_view type, Count count, long numerator, long denominator) {
  static constexpr struct {
    long numerator, denominator;
    const char* name;
  } kUnits[] = {{1, 1'000'000'000, "ns"}, {1, 1'000'000, "\u00b5s"},
                {1, 1000, "ms"},          {1, 1, "s"},
                {60, 1, "min"},           {3600, 1, "h"},
                {86400, 1, "d"}};
  const auto* const unit = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& each) {
    return each.numerator == numerator && each.denominator == denominator;
  });
  const std::string name = unit != std::end(kUnits) ? unit->name
                                                    : "\u00d7 " + std::to_string(numerator) + "/" +
                                                          std::to_string(denominator) + " s";
  out.raw(to_json(Value{.type = std::string(type), .form = form::Quantity{count, name}}));
}
template void write_duration(ValueWriter&, std::string_view, double, long, long);
template void write_duration(ValueWriter&, std::string_view, std::int64_t, long, long);

void write_streamed(ValueWriter& out, std::string_view type, void (*print)(std::ostream&, const void*),
                    const void* object) {
  std::ostringstream stream;
  print(stream, object);
  out.text(type, stream.str());
}

std::string_view field_names(std::string_view type, std::size_t count) {
  const char* const known = record::fields_of(without_arguments(type));
  const std::string_view names = known == nullptr ? "" : known;
  const auto blanks = static_cast<std::size_t>(std::count(names.begin(), names.end(), ' '));
  return blanks + 1 == count ? names : "";
}

std::string_view next_name(std::string_view& names) {
  const std::size_t end = std::min(names.find(' '), names.size());
  const std::string_view name = names.substr(0, end);
  names.remove_prefix(std::min(end + 1, names.size()));
  return name;
}

std::string variable_text(void (*write)(ValueWriter& out, const void* context), const void* context,
                          std::string_view type, std::size_t budget) {
  std::string json;
  try {
    const std::size_t for_type = budget == ValueWriter::kUnlimited ? 0 : type.size() + 24;
    ValueWriter out(json, budget - std::min(budget, for_type));
    write(out, context);
  } catch (...) {  // by code of the lecture's: showing must not change what the program does
    json = thrown_text(type);
  }
  if (json.starts_with(R"({"type":)") || json.starts_with(R"({"id":)")) return json;
  std::string typed = R"({"type":)";
  append_json_string(typed, type);
  if (json.starts_with(R"({"value":)")) return typed + "," + json.substr(1);
  return typed + R"(,"value":)" + json + "}";
}

}  // namespace values

}  // namespace lectern
