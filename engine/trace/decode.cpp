#include "trace/decode.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/json_text.h"
#include "trace/encode.h"
#include "trace/tensor_check.h"

namespace lectern {
namespace {

// decode(json, value): false where the JSON is not of the type's form.

bool decode(const Json& json, bool& value) {
  return json.is_boolean() && (value = json.get<bool>(), true);
}
bool decode(const Json& json, std::string& value) {
  return json.is_string() && (value = json.get_ref<const std::string&>(), true);
}
bool decode(const Json& json, JsonText& value) {
  return value.text = json.dump(-1, ' ', false, Json::error_handler_t::replace), true;
}
bool decode(const Json& json, Value& value) {
  return value = value_from_json(json), true;
}
bool decode(const Json& json, Rendering& rendering) {
  return rendering = rendering_from_json(json), true;
}

/// Nothing is converted.
template <typename T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) bool decode(const Json& json, T& value) {
  const bool fits = json.is_number_unsigned()  ? std::in_range<T>(json.get<std::uint64_t>())
                    : json.is_number_integer() ? std::in_range<T>(json.get<std::int64_t>())
                                               : false;
  if (fits) value = json.get<T>();
  return fits;
}

/// A number, or {"float":"nan"} and its like.
bool decode(const Json& json, double& value) {
  if (json.is_number()) return value = json.get<double>(), true;
  if (!json.is_object() || json.size() != 1 || json.begin().key() != "float") return false;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& [name, special] : {std::pair("nan", std::numeric_limits<double>::quiet_NaN()),
                                      {"inf", kInfinity},
                                      {"-inf", -kInfinity}}) {
    if (*json.begin() == name) return value = special, true;
  }
  return false;
}

bool decode(const Json& json, Element& element) {
  if (json.is_boolean()) return element = json.get<bool>(), true;
  std::int64_t integer = 0;
  if (json.is_number_integer()) return decode(json, integer) && (element = integer, true);
  double real = 0;
  return decode(json, real) && (element = real, true);
}

/// A string, or {"bytes":"e4bd"}.
bool decode_bytes(const Json& json, std::string& bytes) {
  if (json.is_string()) return decode(json, bytes);
  if (!json.is_object() || json.size() != 1 || json.begin().key() != "bytes" || !json.begin()->is_string())
    return false;
  bytes = from_hexadecimal(json.begin()->get_ref<const std::string&>());
  return true;
}
bool decode(const Json& json, Printed& printed) {
  return decode_bytes(json, printed.bytes);
}

bool decode(const Json& json, SiteKind& kind) {
  const auto found = json.is_string()
                         ? std::find(kSiteKinds.begin(), kSiteKinds.end(), json.get_ref<const std::string&>())
                         : kSiteKinds.end();
  if (found == kSiteKinds.end()) return false;
  kind = static_cast<SiteKind>(found - kSiteKinds.begin());
  return true;
}

template <typename T>
bool decode(const Json& json, std::vector<T>& list);
template <typename T, std::size_t N>
bool decode(const Json& json, std::array<T, N>& list);
template <typename First, typename Second>
bool decode(const Json& json, Pair<First, Second>& pair);
template <typename T>
bool decode(const Json& json, Members<T>& members);
template <HasFields T>
bool decode(const Json& json, T& object);

template <typename T>
bool decode(const Json& json, std::optional<T>& value) {
  return decode(json, value.emplace());
}
template <typename T>
bool decode(const Json& json, Boxed<T>& value) {
  return decode(json, *value);
}
template <typename T>
bool decode(const Json& json, std::vector<T>& list) {
  if (!json.is_array()) return false;
  list.resize(json.size());
  return std::equal(json.begin(), json.end(), list.begin(),
                    [](const Json& item, T& element) { return decode(item, element); });
}
template <typename T, std::size_t N>
bool decode(const Json& json, std::array<T, N>& list) {
  return json.is_array() && json.size() == N &&
         std::equal(json.begin(), json.end(), list.begin(),
                    [](const Json& item, T& element) { return decode(item, element); });
}
template <typename First, typename Second>
bool decode(const Json& json, Pair<First, Second>& pair) {
  return json.is_array() && json.size() == 2 && decode(json[0], pair.first) && decode(json[1], pair.second);
}
template <typename T>
bool decode(const Json& json, Members<T>& members) {
  if (!json.is_object()) return false;
  for (const auto& [name, item] : json.items()) {
    auto& [key, member] = members.emplace_back();
    key = name;
    if (!decode(item, member)) return false;
  }
  return true;
}
bool decode(const Json& json, SourceLines& lines) {
  return decode(json, static_cast<std::vector<std::string>&>(lines));
}
bool decode(const Json& json, TextSpan& span) {
  std::array<int, 4> numbers{};
  if (!decode(json, numbers)) return false;
  span = {numbers[0], numbers[1], numbers[2], numbers[3]};
  const bool ordered =
      span.end_line > span.line || (span.end_line == span.line && span.end_column >= span.column);
  return span.line >= 1 && span.column >= 1 && ordered;
}

/// Gathers the members that a type does not have.
class UnknownMembers {
 public:
  void add(const std::string& name, const Json& value) { kept_[name] = value; }
  bool empty() const { return kept_.empty(); }
  bool contains(std::string_view name) const { return kept_.contains(name); }
  JsonText text() const {
    JsonText text;
    if (!empty()) decode(kept_, text);
    return text;
  }

 private:
  Json kept_ = Json::object();
};

/// Puts the members of a JSON object into an object; the others, and those of another form, go to `unknown`.
/// Returns whether all is there that such an object always has.
template <HasFields T, typename Skip>
bool decode_fields(const Json& json, T& object, UnknownMembers& unknown, Skip skip) {
  int missing = 0;
  for_each_field<T>([&](const auto& field) { missing += field.always ? 1 : 0; });
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    const Json& value = item.value();
    if (skip(name)) continue;
    bool known = false;
    for_each_field<T>([&](const auto& field) {
      if (field.name != name) return;
      auto member = object.*field.member;
      known = decode(value, member);
      if (known) object.*field.member = std::move(member);
      missing -= known && field.always ? 1 : 0;
    });
    if (!known) unknown.add(name, value);
  }
  return missing <= 0;
}

bool skips_nothing(const std::string& /*name*/) {
  return false;
}

template <HasFields T>
bool decode(const Json& json, T& object) {
  UnknownMembers unknown;
  return json.is_object() && decode_fields(json, object, unknown, skips_nothing) && unknown.empty();
}

// Values
// ------------------------------------------------------------------------------------------------------------------

bool decode_scalar(const Json& json, Value::Form& form) {
  std::string bytes;
  double real = 0;
  if (json.is_null()) {
    form = form::Null();
  } else if (json.is_boolean()) {
    form = json.get<bool>();
  } else if (json.is_number_integer()) {
    if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())) {
      form = json.get<std::uint64_t>();
    } else {
      form = json.get<std::int64_t>();
    }
  } else if (decode(json, real)) {
    form = real;
  } else if (decode_bytes(json, bytes)) {
    form = std::move(bytes);
  } else {
    return false;
  }
  return true;
}

/// What a value of any form may have.
bool is_common(const std::string& name) {
  return name == "type" || name == "size" || name == "id";
}

template <typename Form>
struct FieldsOf {
  using type = Form;
};
template <typename T>
struct FieldsOf<Boxed<T>> {
  using type = T;
};

/// Whether all is there that values of the form always have: soon told of most forms.
template <typename Form>
bool has_members(const Json& json) {
  bool all = true;
  for_each_field<typename FieldsOf<Form>::type>(
      [&](const auto& field) { all = all && (!field.always || json.contains(field.name)); });
  return all;
}

template <typename Form>
bool decode_form(const Json& json, Value& value) {
  if (!has_members<Form>(json)) return false;
  UnknownMembers unknown;
  Form form;
  bool whole = false;
  if constexpr (std::is_same_v<Form, Boxed<form::Tensor>>) {
    whole = decode_fields(json, *form, unknown, is_common) && is_consistent(*form);
  } else {
    whole = decode_fields(json, form, unknown, is_common);
  }
  if (!whole) return false;
  value.form = std::move(form);
  value.unknown = unknown.text();
  return true;
}

template <typename... Forms>
bool decode_one_of(const Json& json, Value& value) {
  return (decode_form<Forms>(json, value) || ...);
}

bool is_bare(const Value& value) {
  return is_scalar(value) && value.type.empty() && value.id == 0 && !value.size && value.unknown.empty();
}

Value object_from_json(const Json& json) {
  Value value;
  if (const auto type = json.find("type"); type != json.end()) decode(*type, value.type);
  if (const auto id = json.find("id"); id != json.end()) decode(*id, value.id);
  if (const auto size = json.find("size"); size != json.end() && !decode(*size, value.size))
    value.size.reset();
  // A form is told by what its values always have.
  if (!decode_one_of<Boxed<form::Tensor>, form::Storage, form::Items, form::Entries, form::Fields, form::Text,
                     form::Pointer, form::Reference, form::Cut, form::Typed>(json, value)) {
    if (value.type.empty())
      return {.form = form::Unknown{{json.dump(-1, ' ', false, Json::error_handler_t::replace)}}};
    decode_form<form::Opaque>(json, value);
  }
  if (auto* const typed = std::get_if<form::Typed>(&value.form); typed != nullptr && is_bare(*typed->value)) {
    Value::Form scalar = std::move(typed->value->form);
    value.form = std::move(scalar);
  }
  return value;
}

template <typename... Kinds>
bool decode_kind(const Json& json, Rendering& rendering, std::variant<Kinds...>* /*kinds*/) {
  const auto kind = json.find("kind");
  if (kind == json.end() || !kind->is_string()) return false;
  const auto decode_as = [&]<typename Kind>(Kind* /*type*/) {
    if constexpr (HasFields<Kind>) {
      if (*kind != Kind::kKind) return false;
      UnknownMembers unknown;
      decode_fields(json, rendering.form.emplace<Kind>(), unknown,
                    [](const std::string& name) { return name == "kind"; });
      rendering.unknown = unknown.text();
      return true;
    }
    return false;
  };
  return (decode_as(static_cast<Kinds*>(nullptr)) || ...);
}

Value any_as_value(const Json& json) {
  Value value;
  if (json.is_array()) {
    auto& items = value.form.emplace<form::Items>().items;
    for (const Json& item : json) items.push_back(any_as_value(item));
  } else if (decode_scalar(json, value.form)) {
    return value;
  } else {
    auto& fields = value.form.emplace<form::Fields>().fields_;
    for (const auto& [name, part] : json.items()) fields.emplace_back(name, any_as_value(part));
  }
  return value;
}

template <HasFields T>
T checked_record(const Json& json, std::string_view number) {
  T record;
  UnknownMembers unknown;
  decode_fields(json, record, unknown, [number](const std::string& name) { return name == number; });
  for_each_field<T>([&](const auto& field) {
    const std::string named = "the field \"" + std::string(field.name) + "\" ";
    if (unknown.contains(field.name)) throw BadRecord{named + "has another form than it should"};
    if (field.always && !json.contains(field.name)) throw BadRecord{named + "is missing"};
  });
  record.unknown = unknown.text();
  return record;
}

}  // namespace

Value value_from_json(const Json& json) {
  Value value;
  if (decode_scalar(json, value.form)) return value;
  return json.is_object()
             ? object_from_json(json)
             : Value{.form = form::Unknown{{json.dump(-1, ' ', false, Json::error_handler_t::replace)}}};
}

Rendering rendering_from_json(const Json& json) {
  Rendering rendering;
  if (decode_kind(json, rendering, static_cast<Rendering::Form*>(nullptr))) return rendering;
  rendering::Unknown unknown;
  const auto kind = json.find("kind");
  if (kind != json.end()) decode(*kind, unknown.kind);
  decode(json, unknown.json);
  return {std::move(unknown)};
}

StepDetails details_from_json(std::string_view text) {
  StepDetails details;
  if (text.empty()) return details;
  UnknownMembers unknown;
  decode_fields(Json::parse(text), details, unknown, skips_nothing);
  details.unknown = unknown.text();
  return details;
}

Value as_value(const JsonText& json) {
  return json.empty() ? Value() : any_as_value(Json::parse(json.text));
}

template <HasFields T>
T record_from_json(const Json& json, std::string_view number) {
  return checked_record<T>(json, number);
}
template SourceFile record_from_json(const Json&, std::string_view);
template TracedFunction record_from_json(const Json&, std::string_view);
template Site record_from_json(const Json&, std::string_view);
template Stack record_from_json(const Json&, std::string_view);
template TraceEnd record_from_json(const Json&, std::string_view);
template Profile record_from_json(const Json&, std::string_view);

StepDetails Step::details() const {
  return details_from_json(text);
}
void Step::set_details(const StepDetails& details) {
  text = to_json(details);
  if (text == "{}") text.clear();
}

}  // namespace lectern
