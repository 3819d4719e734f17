#include <algorithm>

#include <fmt/format.h>

#include "instrument/names.h"

namespace lectern {

namespace {

/// Whether members could not be parsed.
bool has_unknown_members(const Program& program, const Node& body) {
  return std::ranges::any_of(program.parsed.unparsed, [&](const UnparsedPart& part) {
    return body.begin < part.span.begin && part.span.end < body.end &&
           part.kind == UnparsedPart::Kind::member && !program.text(part.span).starts_with("using ");
  });
}

bool is_field(const Program& program, const Node& member) {
  return member.is("field_declaration") && std::ranges::none_of(member.children, [&](const Node& part) {
           return part.is("friend") || (part.is("storage_class_specifier") && program.text(part) == "static");
         });
}

/// The type of an anonymous union or struct, whose members are those of the class; null for other members.
const Node* anonymous_type(const Node& member) {
  const Node* type = member.child("type");
  const bool anonymous = member.child("declarator") == nullptr && type != nullptr &&
                         type->child("body") != nullptr && type->child("name") == nullptr;
  return anonymous ? type : nullptr;
}

/// Whether a class without a name is the type of variables or fields. An anonymous one, and one that a
/// typedef names, may have no functions.
bool is_of_variable(const Node& class_specifier) {
  const Node& parent = *class_specifier.parent;
  return parent.is("declaration", "field_declaration") && parent.child("declarator") != nullptr;
}

/// LECTERN_FIELD leaves out what the preprocessor does.
void add_fields(const Program& program, const Node& members, std::string& code) {
  for (const Node& member : members.children) {
    if (member.kind.starts_with("preproc_")) add_fields(program, member, code);
    if (!is_field(program, member)) continue;
    const Node* anonymous = anonymous_type(member);
    if (anonymous != nullptr && anonymous->is("union_specifier")) code += "lectern_out.anonymous_union(); ";
    if (anonymous != nullptr && anonymous->is("struct_specifier", "class_specifier"))
      add_fields(program, *anonymous->child("body"), code);
    for (const Node& part : member.children) {
      if (part.field != "declarator" || declares_function(program, part)) continue;
      const std::string field = fmt::format("LECTERN_FIELD({}) ", declared_name(program, part));
      if (code.find(field) == std::string::npos) code += field;
    }
  }
}

/// Ambiguous ones are not shown.
std::string bases_code(const Program& program, const Node& class_specifier) {
  const Node* clause = class_specifier.child_of_kind("base_class_clause");
  if (clause == nullptr) return {};
  std::string code;
  for (const Node& part : clause->children) {
    if (!part.is_code() ||
        part.is("access_specifier", "virtual", "virtual_specifier", "attribute_declaration"))
      continue;
    const std::string base = fmt::format("static_cast<const {}&>(lectern_self)", program.text(part));
    const Node* next = part.next_code();
    const bool pack = part.next != nullptr && (part.next->is("...") || (next != nullptr && next->is("...")));
    code +=
        pack ? fmt::format("if constexpr (requires {{ ({0}, ...); }}) (lectern_out.base({0}), ...); ", base)
             : fmt::format("if constexpr (requires {{ {0}; }}) lectern_out.base({0}); ", base);
  }
  return code;
}

}  // namespace

std::string fields_function(const Program& program, const Node& class_specifier) {
  const Node* name = class_specifier.child("name");
  const Node* body = class_specifier.child("body");
  if (body == nullptr || class_specifier.is("union_specifier")) return {};
  if (name == nullptr && !is_of_variable(class_specifier)) return {};
  std::string code = bases_code(program, class_specifier);
  add_fields(program, *body, code);
  if (has_unknown_members(program, *body)) code += "lectern_out.unknown_members(); ";
  if (code.empty()) return {};
  const bool is_class = class_specifier.is("class_specifier");
  std::string function = "lectern_unnamed_fields()";
  if (name != nullptr) {
    const std::string type = declared_name(program, *name);
    function = fmt::format("lectern_fields({}*)", type.substr(type.rfind(':') + 1));
  }
  return fmt::format(
      "{}[[maybe_unused]] static auto {} {{ return []([[maybe_unused]] const auto& "
      "lectern_out, "
      "[[maybe_unused]] const auto& lectern_self) {{ {}}}; }}{}",
      is_class ? "public: " : "", function, code, is_class ? " private:" : "");
}

}  // namespace lectern
