#include "trace/schema.h"

#include <type_traits>

#include "trace/decode.h"
#include "trace/trace.h"

namespace lectern {
namespace {

const Json kIndex = {{"type", "integer"}, {"minimum", 0}};

Json reference(const char* definition) {
  return {{"$ref", std::string("#/$defs/") + definition}};
}
Json array_schema(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

template <HasFields T>
Json object_schema(Json properties = Json::object(), Json needed = Json::array());

template <typename T>
constexpr bool kIsMembers = false;
template <typename T>
constexpr bool kIsMembers<Members<T>> = true;

/// What the JSON of a T looks like.
template <typename T>
Json make_schema() {
  if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {{"type", "string"}};
  } else if constexpr (std::is_same_v<T, double>) {
    return reference("real");
  } else if constexpr (std::is_same_v<T, Printed>) {
    return reference("bytes");
  } else if constexpr (std::is_same_v<T, Value>) {
    return reference("value");
  } else if constexpr (std::is_same_v<T, Rendering>) {
    return reference("rendering");
  } else if constexpr (std::is_same_v<T, JsonText>) {
    return Json::object();
  } else if constexpr (std::is_same_v<T, Element>) {
    return {{"anyOf", {reference("real"), make_schema<bool>()}}};
  } else if constexpr (std::is_same_v<T, SiteKind>) {
    return {{"enum", std::vector(kSiteKinds.begin() + 1, kSiteKinds.end())}};
  } else if constexpr (std::is_same_v<T, TextSpan>) {
    return {{"type", "array"},
            {"items", {{"type", "integer"}, {"minimum", 1}}},
            {"minItems", 4},
            {"maxItems", 4}};
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_unsigned_v<T> ? kIndex : Json{{"type", "integer"}};
  } else if constexpr (HasFields<T>) {
    return object_schema<T>();
  } else if constexpr (kIsMembers<T>) {
    using Member = typename T::value_type::second_type;
    return {{"type", "object"}, {"additionalProperties", make_schema<Member>()}};
  } else if constexpr (requires(T pair) { pair.first; }) {
    return {{"type", "array"},
            {"prefixItems", {make_schema<decltype(T::first)>(), make_schema<decltype(T::second)>()}},
            {"minItems", 2},
            {"maxItems", 2}};
  } else if constexpr (requires(T held) { *held; }) {
    return make_schema<std::remove_cvref_t<decltype(*std::declval<T>())>>();
  } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
    return array_schema(kIndex);  // sizes, strides, positions
  } else {
    Json schema = array_schema(make_schema<typename T::value_type>());
    if constexpr (requires { std::tuple_size<T>::value; })
      schema["minItems"] = schema["maxItems"] = std::tuple_size<T>::value;
    return schema;
  }
}

/// An object with the fields of T after these; those that are `needed` and the fields that are always written
/// are in every one.
template <HasFields T>
Json object_schema(Json properties, Json needed) {
  for_each_field<T>([&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(std::declval<T>().*field.member)>;
    Json schema = make_schema<Member>();
    if (!field.pattern.empty()) schema["pattern"] = field.pattern;
    properties[std::string(field.name)] = std::move(schema);
    if (field.always) needed.push_back(field.name);
  });
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!needed.empty()) schema["required"] = std::move(needed);
  return schema;
}

Json has(std::string_view name) {
  return {{"required", {name}}};
}
Json when(Json condition, Json then) {
  return {{"if", std::move(condition)}, {"then", std::move(then)}};
}

/// The field that tells a form of values from the others.
template <HasFields Form>
std::string_view form_mark() {
  std::string_view mark = "type";
  for_each_field<Form>([&](const auto& field) {
    if (mark == "type" && field.always) mark = field.name;
  });
  return mark;
}

template <typename T>
const T* unboxed(const T* type) {
  return type;
}
template <typename T>
const T* unboxed(const Boxed<T>* /*type*/) {
  return nullptr;
}

template <typename... Forms>
Json value_schema(const std::variant<Forms...>* /*forms*/) {
  Json marks = Json::array({has("float"), has("bytes")});
  Json forms =
      Json::array({when(has("float"), reference("real")),
                   when(has("bytes"), reference("bytes")),
                   {{"properties", {{"id", kIndex}, {"type", {{"type", "string"}}}, {"size", kIndex}}}}});
  const auto add = [&]<typename Form>(const Form* /*type*/) {
    if constexpr (HasFields<Form>) {
      marks.push_back(has(form_mark<Form>()));
      if (form_mark<Form>() != "type") forms.push_back(when(marks.back(), object_schema<Form>()));
    }
  };
  (add(unboxed(static_cast<const Forms*>(nullptr))), ...);
  return {{"type", {"null", "boolean", "number", "string", "object"}},
          {"if", {{"type", "object"}}},
          {"then", {{"anyOf", std::move(marks)}, {"allOf", std::move(forms)}}}};
}

template <typename... Kinds>
Json rendering_schema(const std::variant<Kinds...>* /*kinds*/) {
  Json kinds = Json::array();
  const auto add = [&]<typename Kind>(const Kind* /*type*/) {
    if constexpr (HasFields<Kind>)
      kinds.push_back(when({{"properties", {{"kind", {{"const", Kind::kKind}}}}}}, object_schema<Kind>()));
  };
  (add(static_cast<const Kinds*>(nullptr)), ...);
  return {{"type", "object"},
          {"properties", {{"kind", {{"type", "string"}}}}},
          {"required", {"kind"}},
          {"allOf", std::move(kinds)}};
}

template <HasFields T>
Json definition_schema(const char* number) {
  return object_schema<T>({{number, kIndex}}, Json::array({number}));
}

Json step_schema() {
  Json schema = object_schema<StepDetails>({{"at", kIndex},
                                            {"in", kIndex},
                                            {"enter", kIndex},
                                            {"after", {{"const", true}}},
                                            {"ns", {{"type", "integer"}}}},
                                           Json::array({"at", "in"}));
  // A variable has a type, whatever its value.
  schema["properties"]["vars"]["additionalProperties"] = {{"type", "object"},
                                                          {"allOf", {reference("value"), has("type")}}};
  return schema;
}

/// The first of these names that a record has tells its kind; nothing is known of other records.
Json record_schema() {
  Json schema = Json::object();
  for (auto& [name, record] :
       std::vector<std::pair<const char*, Json>>{{"source", definition_schema<SourceFile>("source")},
                                                 {"function", definition_schema<TracedFunction>("function")},
                                                 {"end", make_schema<TraceEnd>()},
                                                 {"left_out", make_schema<LeftOut>()},
                                                 {"site", definition_schema<Site>("site")},
                                                 {"stack", definition_schema<Stack>("stack")},
                                                 {"at", step_schema()}}) {
    Json rest = std::move(schema);
    schema = when(has(name), std::move(record));
    if (!rest.empty()) schema["else"] = std::move(rest);
  }
  schema["type"] = "object";
  return schema;
}

}  // namespace

std::string trace_schema() {
  const Json special = {{"type", "object"},
                        {"properties", {{"float", {{"enum", {"nan", "inf", "-inf"}}}}}},
                        {"required", {"float"}}};
  const Json bytes = {{"type", "object"},
                      {"properties", {{"bytes", {{"type", "string"}, {"pattern", "^([0-9a-f]{2})*$"}}}}},
                      {"required", {"bytes"}}};
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "lectern-trace/1"},
                       {"description",
                        "A recorded run of a lecture. traces/README.md says what the fields mean. Unknown "
                        "fields are allowed everywhere. "
                        "Written by `lectern schema`."},
                       {"type", "object"},
                       {"required", {"format", "lecture", "records"}},
                       {"properties",
                        {{"format", {{"type", "string"}, {"pattern", R"(^lectern-trace/1(\.[0-9]+)?$)"}}},
                         {"lecture", {{"type", "string"}}},
                         {"profile", make_schema<Profile>()},
                         {"records", array_schema(reference("record"))}}},
                       {"$defs",
                        {{"real", {{"anyOf", {{{"type", "number"}}, special}}}},
                         {"bytes", {{"anyOf", {{{"type", "string"}}, bytes}}}},
                         {"record", record_schema()},
                         {"value", value_schema(static_cast<Value::Form*>(nullptr))},
                         {"rendering", rendering_schema(static_cast<Rendering::Form*>(nullptr))}}}};
  return schema.dump(2) + "\n";
}

}  // namespace lectern
