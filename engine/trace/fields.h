#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lectern::trace_model {

/// How the types of a trace say what the format calls their members. A type lists them once, in the order in
/// which they are written:
///
///     struct Card {
///       std::string title, url;
///       static constexpr auto fields() {
///         return field_list(Field{"title", &Card::title}, Field{"url", &Card::url});
///       }
///     };
///
/// Writing (encode.h), reading (decode.h), comparing and the JSON Schema (schema.h) follow from it. A member
/// that is as in a new object (empty, zero, false) is left out unless it is `always` written; reading, what
/// is missing is so.
template <typename Owner, typename T>
struct Field {
  std::string_view name;
  T Owner::*member;
  bool always = false;
  std::string_view pattern = {};  ///< of strings, a regular expression of ECMAScript for the schema
};
template <typename Owner, typename T, typename... Rest>
Field(const char*, T Owner::*, Rest...) -> Field<Owner, T>;
/// field_list(fields…), what fields() returns: it calls a function with each of them. Compiles faster than a
/// tuple; as an object it has no lookup by its arguments, whose types may be incomplete.
inline constexpr auto field_list = [](auto... fields) {
  return [fields...](const auto& visit) { (visit(fields), ...); };
};
inline constexpr bool kAlways = true;
inline constexpr bool kElseAbsent = false;

template <typename T>
concept HasFields = requires {
  T::fields();
};

/// Calls `visit(field)` for each.
template <HasFields T, typename Visit>
constexpr void for_each_field(Visit visit) {
  T::fields()(visit);
}

/// The members of a JSON object whose names the format does not fix, in order.
template <typename T>
struct Members : std::vector<std::pair<std::string, T>> {
  using std::vector<std::pair<std::string, T>>::vector;

  const T* find(std::string_view name) const {
    for (const auto& [known, member] : *this) {
      if (known == name) return &member;
    }
    return nullptr;
  }
};

/// One JSON value as text: what the format leaves to others (a specification of Vega-Lite), or what this
/// version does not know and keeps. Empty: none.
struct JsonText {
  std::string text = {};

  bool empty() const { return text.empty(); }
  bool operator==(const JsonText&) const = default;
};

}  // namespace lectern::trace_model
