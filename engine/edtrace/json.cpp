#include "edtrace/json.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/json_view.h"

namespace lectern {
namespace {

template <typename T>
bool holds(std::string_view number) {
  T value{};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc() && end == number.data() + number.size();
}

/// Members that say nothing: absent ones, and what a rendering has by default.
bool says_nothing(std::string_view name, std::string_view meaning) {
  return meaning == "null" || name == kOursBeside || (name == "style" && meaning == "{}") ||
         (name == "animate" && meaning == "false");
}

std::string meaning_of_object(std::string_view json) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [name, value] : members_by_name(json)) {
    std::string meaning = edtrace_meaning(value);
    if (!says_nothing(name, meaning)) members.emplace_back(name, std::move(meaning));
  }
  std::stable_sort(members.begin(), members.end());
  std::string out = "{";
  for (const auto& [name, meaning] : members) {
    if (out.size() > 1) out += ',';
    append_json_string(out, name);
    out.append(":").append(meaning);
  }
  return out + "}";
}

}  // namespace

std::string_view special_float(std::string_view json) {
  if (json == R"({"float":"nan"})") return "nan";
  if (json == R"({"float":"inf"})") return "inf";
  return json == R"({"float":"-inf"})" ? "-inf" : "";
}

void append_number_value(std::string& out, std::string_view number) {
  if (number.find_first_of(".eE") == std::string_view::npos) {
    if (holds<std::int64_t>(number) || holds<std::uint64_t>(number)) {
      out += number;
    } else {
      out.append(R"({"type":"int","text":")").append(number).append("\"}");
    }
    return;
  }
  double value = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), value).ec ==
      std::errc::result_out_of_range) {
    // Too small or too large: strtod's answer, 0 or infinity.
    value = std::strtod(std::string(number).c_str(), nullptr);
  }
  append_real(out, value);
}

Json long_integer(std::string_view digits) {
  return Json::binary({digits.begin(), digits.end()});
}

bool is_long_integer(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool integer = !digits.empty() && digits.front() != '0' &&
                       digits.find_first_not_of("0123456789") == std::string_view::npos;
  return integer && !holds<std::int64_t>(text) && !holds<std::uint64_t>(text);
}

std::string edtrace_text(const Json& json) {
  if (json.is_binary()) return {json.get_binary().begin(), json.get_binary().end()};
  if (!json.is_structured()) return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const bool object = json.is_object();
  std::string out;
  for (const auto& [name, value] : json.items()) {
    out += out.empty() ? (object ? '{' : '[') : ',';
    if (object) {
      append_json_string(out, name);
      out += ':';
    }
    out += edtrace_text(value);
  }
  if (out.empty()) return object ? "{}" : "[]";
  return out + (object ? '}' : ']');
}

std::vector<std::pair<std::string, std::string_view>> members_by_name(std::string_view object) {
  std::vector<std::pair<std::string, std::string_view>> members;
  std::unordered_map<std::string, std::size_t> places;
  for (const JsonMember& member : json_members(object)) {
    std::string name = json_unescaped(member.name);
    const auto [place, is_new] = places.try_emplace(name, members.size());
    if (is_new) {
      members.emplace_back(std::move(name), member.value);
    } else {
      members[place->second].second = member.value;
    }
  }
  return members;
}

std::string edtrace_meaning(std::string_view json) {
  if (json.empty()) return "null";
  std::string out;
  switch (json.front()) {
    case '{': {
      const std::string_view special = special_float(json);
      if (special.empty()) return meaning_of_object(json);
      append_json_string(out, special);
      return out;
    }
    case '[':
      for (const std::string_view element : json_elements(json)) {
        out += out.empty() ? "[" : ",";
        out += edtrace_meaning(element);
      }
      return out.empty() ? "[]" : out + "]";
    case '"':
      append_json_string(out, json_string(json));
      return out;
    case 't':
    case 'f':
    case 'n':
      return std::string(json);
    default:
      append_number_value(out, json);
      if (!out.starts_with('{')) return out;
      return special_float(out).empty() ? std::string(json) : edtrace_meaning(out);
  }
}

}  // namespace lectern
