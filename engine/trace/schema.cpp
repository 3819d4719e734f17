#include "trace/schema.h"

#include <type_traits>

#include "trace/decode.h"
#include "trace/trace.h"

namespace lectern {
namespace {

/// schema_of(Type<T>()): what the JSON of a T looks like.
template <typename T>
struct Type {};

Json reference(const char* definition) {
  return {{"$ref", std::string("#/$defs/") + definition}};
}
Json array_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

Json schema_of(Type<bool> /*type*/) {
  return {{"type", "boolean"}};
}
Json schema_of(Type<std::string> /*type*/) {
  return {{"type", "string"}};
}
Json schema_of(Type<double> /*type*/) {
  return reference("real");
}
Json schema_of(Type<Printed> /*type*/) {
  return reference("bytes");
}
Json schema_of(Type<JsonText> /*type*/) {
  return Json::object();
}
Json schema_of(Type<Value> /*type*/) {
  return reference("value");
}
Json schema_of(Type<Rendering> /*type*/) {
  return reference("rendering");
}
Json schema_of(Type<Element> /*type*/) {
  return {{"anyOf", {reference("real"), {{"type", "boolean"}}}}};
}
Json schema_of(Type<SiteKind> /*type*/) {
  Json kinds = Json::array();
  for (const std::string_view kind : kSiteKinds) {
    if (!kind.empty()) kinds.push_back(kind);
  }
  return {{"enum", std::move(kinds)}};
}
Json schema_of(Type<TextSpan> /*type*/) {
  return {
      {"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 1}}}, {"minItems", 4}, {"maxItems", 4}};
}
Json schema_of(Type<SourceLines> /*type*/) {
  return array_of({{"type", "string"}});
}
template <typename T>
requires std::is_integral_v<T> Json schema_of(Type<T> /*type*/) {
  Json schema = {{"type", "integer"}};
  if (std::is_unsigned_v<T>) schema["minimum"] = 0;
  return schema;
}
/// Sizes, strides and positions.
Json schema_of(Type<std::vector<std::int64_t>> /*type*/) {
  return array_of({{"type", "integer"}, {"minimum", 0}});
}

template <typename T>
Json schema_of(Type<std::vector<T>> /*type*/);
template <typename T, std::size_t N>
Json schema_of(Type<std::array<T, N>> /*type*/);
template <typename First, typename Second>
Json schema_of(Type<Pair<First, Second>> /*type*/);
template <typename T>
Json schema_of(Type<Members<T>> /*type*/);
template <HasFields T>
Json schema_of(Type<T> /*type*/);

template <typename T>
Json schema_of(Type<std::optional<T>> /*type*/) {
  return schema_of(Type<T>());
}
template <typename T>
Json schema_of(Type<Boxed<T>> /*type*/) {
  return schema_of(Type<T>());
}
template <typename T>
Json schema_of(Type<std::vector<T>> /*type*/) {
  return array_of(schema_of(Type<T>()));
}
template <typename T, std::size_t N>
Json schema_of(Type<std::array<T, N>> /*type*/) {
  Json schema = array_of(schema_of(Type<T>()));
  schema["minItems"] = schema["maxItems"] = N;
  return schema;
}
template <typename First, typename Second>
Json schema_of(Type<Pair<First, Second>> /*type*/) {
  return {{"type", "array"},
          {"prefixItems", {schema_of(Type<First>()), schema_of(Type<Second>())}},
          {"minItems", 2},
          {"maxItems", 2}};
}
template <typename T>
Json schema_of(Type<Members<T>> /*type*/) {
  return {{"type", "object"}, {"additionalProperties", schema_of(Type<T>())}};
}

/// An object with the fields of T after these; those that are `needed` and the fields that are always written
/// are in every one.
template <HasFields T>
Json object_schema(Json properties = Json::object(), Json needed = Json::array()) {
  for_each_field<T>([&](const auto& field) {
    using Member = std::remove_cvref_t<decltype(std::declval<T>().*field.member)>;
    Json schema = schema_of(Type<Member>());
    if (!field.pattern.empty()) schema["pattern"] = field.pattern;
    properties[std::string(field.name)] = std::move(schema);
    if (field.always) needed.push_back(field.name);
  });
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!needed.empty()) schema["required"] = std::move(needed);
  return schema;
}
template <HasFields T>
Json schema_of(Type<T> /*type*/) {
  return object_schema<T>();
}

const Json kIndex = {{"type", "integer"}, {"minimum", 0}};

Json has(std::string_view name) {
  return {{"required", {name}}};
}
Json when(Json condition, Json then) {
  return {{"if", std::move(condition)}, {"then", std::move(then)}};
}

/// The field that tells a form of values from the others.
template <HasFields Form>
std::string_view mark_of() {
  std::string_view mark = "type";
  for_each_field<Form>([&](const auto& field) {
    if (mark == "type" && field.always) mark = field.name;
  });
  return mark;
}

template <typename... Forms>
Json value_schema(Type<std::variant<Forms...>> /*forms*/) {
  Json marks = Json::array({has("float"), has("bytes")});
  Json forms =
      Json::array({when(has("float"), reference("real")),
                   when(has("bytes"), reference("bytes")),
                   {{"properties", {{"id", kIndex}, {"type", {{"type", "string"}}}, {"size", kIndex}}}}});
  const auto add = [&]<HasFields Form>(Type<Form> /*type*/) {
    marks.push_back(has(mark_of<Form>()));
    if (mark_of<Form>() != "type") forms.push_back(when(marks.back(), object_schema<Form>()));
  };
  const auto add_any = [&]<typename Form>(Type<Form> type) {
    if constexpr (std::is_same_v<Form, Boxed<form::Tensor>>) {
      add(Type<form::Tensor>());
    } else if constexpr (HasFields<Form>) {
      add(type);
    }
  };
  (add_any(Type<Forms>()), ...);
  return {{"type", {"null", "boolean", "number", "string", "object"}},
          {"if", {{"type", "object"}}},
          {"then", {{"anyOf", std::move(marks)}, {"allOf", std::move(forms)}}}};
}

template <typename... Kinds>
Json rendering_schema(Type<std::variant<Kinds...>> /*kinds*/) {
  Json kinds = Json::array();
  const auto add = [&]<typename Kind>(Type<Kind> /*type*/) {
    if constexpr (HasFields<Kind>)
      kinds.push_back(when({{"properties", {{"kind", {{"const", Kind::kKind}}}}}}, object_schema<Kind>()));
  };
  (add(Type<Kinds>()), ...);
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

/// What a record is, is told by its names, in this order; of others nothing is known.
Json record_schema() {
  Json schema = Json::object();
  for (auto& [name, record] :
       std::vector<std::pair<const char*, Json>>{{"source", definition_schema<SourceFile>("source")},
                                                 {"function", definition_schema<TracedFunction>("function")},
                                                 {"end", schema_of(Type<TraceEnd>())},
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
                         {"profile", schema_of(Type<Profile>())},
                         {"records", array_of(reference("record"))}}},
                       {"$defs",
                        {{"real", {{"anyOf", {{{"type", "number"}}, special}}}},
                         {"bytes", {{"anyOf", {{{"type", "string"}}, bytes}}}},
                         {"record", record_schema()},
                         {"value", value_schema(Type<Value::Form>())},
                         {"rendering", rendering_schema(Type<Rendering::Form>())}}}};
  return schema.dump(2) + "\n";
}

}  // namespace lectern
