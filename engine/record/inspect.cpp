#include "record/inspect.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <set>
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

void write_code(ValueWriter& out, std::string_view type, std::uint32_t code) {
  char digits[8];
  const std::string_view hexadecimal(digits, std::to_chars(digits, std::end(digits), code, 16).ptr);
  out.text(type, "'\\x" + std::string(hexadecimal) + "'");
}

void write_long_double(ValueWriter& out, long double value) {
  const auto number = static_cast<double>(value);
  if (std::isnan(value) || static_cast<long double>(number) == value) return out.real(number);
  char digits[48];
  const std::string_view shortest(digits, std::to_chars(digits, std::end(digits), value).ptr);
  out.text("long double", shortest);
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

void write_date(ValueWriter& out, std::string_view type, int year, unsigned month, unsigned day) {
  const auto padded = [](unsigned number) { return (number < 10 ? "0" : "") + std::to_string(number); };
  out.text(type, std::to_string(year) + "-" + padded(month) + "-" + padded(day));
}

void write_place(ValueWriter& out, std::string_view type, std::string_view file, std::uint64_t line) {
  out.text(type, std::string(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line));
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

std::string guarded_text(void (*write)(ValueWriter& out, const void* context), const void* context,
                         std::string_view type, std::string otherwise) {
  struct Reading {
    decltype(write) writer;
    const void* variable;
    std::string_view type;
    std::string text;
  } reading{write, context, type, {}};
  const bool read = survives(
      [](void* state) {
        auto& [writer, variable, name, text] = *static_cast<Reading*>(state);
        text = variable_text(writer, variable, name, ValueWriter::kDefaultBudget);
      },
      &reading);
  return read ? std::move(reading.text) : std::move(otherwise);
}

}  // namespace values

namespace probe {
namespace {

std::string current_error() {
  try {
    throw;
  } catch (const AccessError& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string(type_name_of(typeid(error))) + ": " + error.what();
  } catch (...) {
    return "an exception was thrown";
  }
}

}  // namespace

void Inspection::show_thrown(const char* text) const {
  const std::string error = current_error();
  record::add_variable(text, to_json(Value{.type = "error", .form = form::Problem{error}}));
  static std::set<std::string> told;  // once for each place, not for each pass of a loop
  const std::string warning = std::string("@inspect ") + text + ": " + error;
  if (told.insert(to_string(record::here()) + warning).second) record::warn(warning);
}

}  // namespace probe
}  // namespace lectern
