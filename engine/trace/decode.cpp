#include "trace/decode.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/json_text.h"
#include "trace/encode.h"
#include "trace/tensor_check.h"

namespace lectern {

JsonText to_text(const Json& json) {
  return {json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

namespace {

// decode(json, value): false where the JSON is not of the type's form. Nothing is converted.

/// Of the members that a type does not have.
JsonText unknown_text(const Json& members) {
  return members.empty() ? JsonText() : to_text(members);
}

bool decode(const Json& json, JsonText& value) {
  return value = to_text(json), true;
}
bool decode(const Json& json, Value& value) {
  return value = value_from_json(json), true;
}
bool decode(const Json& json, Rendering& rendering) {
  return rendering = rendering_from_json(json), true;
}

template <typename T>
bool decode(const Json& json, T& value);

/// An object of one member of that name; null for others.
const Json* only_member(const Json& json, std::string_view name) {
  return json.is_object() && json.size() == 1 && json.begin().key() == name ? &*json.begin() : nullptr;
}

/// A number, or {"float":"nan"} and its like.
bool decode(const Json& json, double& value) {
  if (json.is_number()) return value = json.get<double>(), true;
  const Json* const special = only_member(json, "float");
  if (special == nullptr) return false;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& [name, number] : {std::pair("nan", std::numeric_limits<double>::quiet_NaN()),
                                     {"inf", kInfinity},
                                     {"-inf", -kInfinity}}) {
    if (*special == name) return value = number, true;
  }
  return false;
}

bool decode(const Json& json, Element& element) {
  if (json.is_boolean()) return element = json.get<bool>(), true;
  if (json.is_number_integer()) return decode(json, element.emplace<std::int64_t>());
  return decode(json, element.emplace<double>());
}

/// A string, or {"bytes":"e4bd"}.
bool decode_bytes(const Json& json, std::string& bytes) {
  if (json.is_string()) return decode(json, bytes);
  const Json* const digits = only_member(json, "bytes");
  if (digits == nullptr || !digits->is_string()) return false;
  bytes = from_hexadecimal(digits->get_ref<const std::string&>());
  return true;
}
bool decode(const Json& json, Printed& printed) {
  return decode_bytes(json, printed.bytes);
}

bool decode(const Json& json, SiteKind& kind) {
  std::string name;
  const auto* const found =
      decode(json, name) ? std::find(kSiteKinds.begin(), kSiteKinds.end(), name) : kSiteKinds.end();
  if (found == kSiteKinds.end()) return false;
  kind = static_cast<SiteKind>(found - kSiteKinds.begin());
  return true;
}

bool decode(const Json& json, TextSpan& span) {
  std::array<int, 4> numbers{};
  if (!decode(json, numbers)) return false;
  span = {numbers[0], numbers[1], numbers[2], numbers[3]};
  const bool ordered =
      span.end_line > span.line || (span.end_line == span.line && span.end_column >= span.column);
  return span.line >= 1 && span.column >= 1 && ordered;
}

template <typename First, typename Second>
bool decode(const Json& json, Pair<First, Second>& pair) {
  return json.is_array() && json.size() == 2 && decode(json[0], pair.first) && decode(json[1], pair.second);
}

template <typename T>
bool decode(const Json& json, Members<T>& members) {
  if (!json.is_object()) return false;
  for (const auto& [name, item] : json.items()) {
    if (!decode(item, members.emplace_back(name, T()).second)) return false;
  }
  return true;
}

/// Puts the members of a JSON object into an object; the others, and those of another form, go to `unknown`.
/// Members that `skip` accepts are ignored. Returns whether no member is missing that is always written.
template <HasFields T, typename Skip>
bool decode_fields(const Json& json, T& object, Json& unknown, Skip skip) {
  int missing = 0;
  for_each_field<T>([&](const auto& field) { missing += field.always ? 1 : 0; });
  for (const auto& item : json.items()) {
    const std::string& name = item.key();
    if (skip(name)) continue;
    bool known = false;
    for_each_field<T>([&](const auto& field) {
      if (field.name != name) return;
      auto member = object.*field.member;
      known = decode(item.value(), member);
      if (known) object.*field.member = std::move(member);
      missing -= known && field.always ? 1 : 0;
    });
    if (!known) unknown[name] = item.value();
  }
  return missing <= 0;
}

bool skips_nothing(const std::string& /*name*/) {
  return false;
}

/// Everything else: integers, strings, types with fields, lists, and optionals and boxes of these.
template <typename T>
bool decode(const Json& json, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return json.is_boolean() && (value = json.get<bool>(), true);
  } else if constexpr (std::is_integral_v<T>) {
    const bool fits = json.is_number_unsigned()  ? std::in_range<T>(json.get<std::uint64_t>())
                      : json.is_number_integer() ? std::in_range<T>(json.get<std::int64_t>())
                                                 : false;
    if (fits) value = json.get<T>();
    return fits;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return json.is_string() && (value = json.get_ref<const std::string&>(), true);
  } else if constexpr (HasFields<T>) {
    Json unknown = Json::object();
    if (!json.is_object() || !decode_fields(json, value, unknown, skips_nothing)) return false;
    if constexpr (requires { value.unknown; }) {
      value.unknown = unknown_text(unknown);
      return true;
    }
    return unknown.empty();
  } else if constexpr (requires { value.emplace(); }) {
    return decode(json, value.emplace());
  } else if constexpr (requires { *value; }) {
    return decode(json, *value);
  } else {
    if (!json.is_array()) return false;
    if constexpr (requires { value.resize(0); }) value.resize(json.size());
    return std::equal(json.begin(), json.end(), value.begin(), value.end(),
                      [](const Json& item, auto& element) { return decode(item, element); });
  }
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

template <typename T>
T& form_fields(T& form) {
  return form;
}
template <typename T>
T& form_fields(Boxed<T>& form) {
  return *form;
}

template <typename Form>
bool decode_form(const Json& json, Value& value) {
  using Fields = std::remove_reference_t<decltype(form_fields(std::declval<Form&>()))>;
  bool all = true;  // cheap, and rules out most forms
  for_each_field<Fields>(
      [&](const auto& field) { all = all && (!field.always || json.contains(field.name)); });
  if (!all) return false;
  Form form;
  Json unknown = Json::object();
  if (!decode_fields(json, form_fields(form), unknown, is_common)) return false;
  if constexpr (std::is_same_v<Fields, form::Tensor>) {
    if (!is_consistent(*form)) return false;
  }
  value.form = std::move(form);
  value.unknown = unknown_text(unknown);
  return true;
}

template <typename... Forms>
bool decode_any_form(const Json& json, Value& value, std::variant<Forms...>* /*forms*/) {
  const auto decode_if_told = [&]<typename Form>(const Form* /*type*/) {
    using Fields = std::remove_cvref_t<decltype(form_fields(std::declval<Form&>()))>;
    if constexpr (HasFields<Fields> && !std::is_same_v<Form, form::Opaque>)
      return decode_form<Form>(json, value);
    return false;
  };
  return (decode_if_told(static_cast<const Forms*>(nullptr)) || ...);
}

Value object_from_json(const Json& json) {
  Value value;
  if (const auto type = json.find("type"); type != json.end()) decode(*type, value.type);
  if (const auto id = json.find("id"); id != json.end()) decode(*id, value.id);
  if (const auto size = json.find("size"); size != json.end() && !decode(*size, value.size))
    value.size.reset();
  if (!decode_any_form(json, value, static_cast<Value::Form*>(nullptr))) {
    if (value.type.empty()) return {.form = form::Unknown{to_text(json)}};
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
      Json unknown = Json::object();
      decode_fields(json, rendering.form.emplace<Kind>(), unknown,
                    [](const std::string& name) { return name == "kind"; });
      rendering.unknown = unknown_text(unknown);
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

}  // namespace

Value value_from_json(const Json& json) {
  Value value;
  if (decode_scalar(json, value.form)) return value;
  return json.is_object() ? object_from_json(json) : Value{.form = form::Unknown{to_text(json)}};
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
  Json unknown = Json::object();
  decode_fields(Json::parse(text), details, unknown, skips_nothing);
  details.unknown = unknown_text(unknown);
  return details;
}

Value as_value(const JsonText& json) {
  return json.empty() ? Value() : any_as_value(Json::parse(json.text));
}

template <HasFields T>
T record_from_json(const Json& json, std::string_view number) {
  T record;
  Json unknown = Json::object();
  decode_fields(json, record, unknown, [number](const std::string& name) { return name == number; });
  for_each_field<T>([&](const auto& field) {
    const std::string named = "the field \"" + std::string(field.name) + "\" ";
    if (unknown.contains(field.name)) throw BadRecord{named + "has another form than it should"};
    if (field.always && !json.contains(field.name)) throw BadRecord{named + "is missing"};
  });
  record.unknown = unknown_text(unknown);
  return record;
}
template SourceFile record_from_json(const Json&, std::string_view);
template TracedFunction record_from_json(const Json&, std::string_view);
template Site record_from_json(const Json&, std::string_view);
template Stack record_from_json(const Json&, std::string_view);
template LeftOut record_from_json(const Json&, std::string_view);
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
