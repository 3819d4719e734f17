#include "site/scaffolding.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "instrument/positions.h"
#include "instrument/syntax.h"

namespace lectern {
namespace {

enum class Kind { blank, comment, scaffolding, other };

/// `int f(), *g();`, `template <typename T> void f(T);`, `struct S;`
bool declares_only(const Node& node) {
  if (node.is("template_declaration")) {
    return std::ranges::any_of(node.children, [](const Node& child) { return declares_only(child); });
  }
  if (node.is("class_specifier", "struct_specifier", "enum_specifier")) return node.child("body") == nullptr;
  if (!node.is("declaration")) return false;
  bool functions = false;
  for (const Node& child : node.children) {
    if (child.field != "declarator") continue;
    const Node* declarator = &child;
    while (declarator->is("pointer_declarator", "reference_declarator")) {
      const Node* inner = nullptr;
      for (const Node& each : declarator->children) {
        if (each.is("pointer_declarator", "reference_declarator", "function_declarator")) inner = &each;
      }
      if (inner == nullptr) return false;
      declarator = inner;
    }
    if (!declarator->is("function_declarator")) return false;
    functions = true;
  }
  return functions;
}

class Lines {
 public:
  Lines(std::string_view text, std::size_t count) : positions_(text), kinds_(count, Kind::blank) {}

  void add_members(const Node& container) {
    for (const Node& node : container.children) {
      if (node.empty()) continue;
      if (node.is("namespace_definition", "linkage_specification")) {
        add_container(node);
      } else if (node.is("comment")) {
        mark(node, Kind::comment);
      } else if (node.named) {
        const bool scaffolding = node.is("preproc_include", "using_declaration", "import_statement",
                                         "import_from_statement", "future_import_statement") ||
                                 (node.is("preproc_call") && is_pragma(node)) || declares_only(node);
        mark(node, scaffolding ? Kind::scaffolding : Kind::other);
      }
    }
  }

  /// A comment goes with the line below it.
  std::vector<bool> take() {
    std::vector<bool> lines(kinds_.size());
    Kind below = Kind::blank;
    for (std::size_t i = kinds_.size(); i-- > 0;) {
      if (kinds_[i] != Kind::comment) below = kinds_[i];
      lines[i] = kinds_[i] != Kind::blank && below != Kind::other;
    }
    return lines;
  }

 private:
  static bool is_pragma(const Node& node) {
    const Node* const directive = node.child("directive");
    return directive != nullptr && directive->end - directive->begin == std::string_view("#pragma").size();
  }

  void add_container(const Node& node) {
    const Node* const body = node.child("body");
    if (body == nullptr || !body->is("declaration_list")) return mark(node, Kind::other);
    add_members(*body);
    mark(ByteSpan{node.begin, body->begin + 1}, Kind::scaffolding);
    mark(ByteSpan{body->end - 1, body->end}, Kind::scaffolding);
  }

  /// Where several nodes share a line, the one that says most decides.
  void mark(const ByteSpan& span, Kind kind) {
    std::size_t end = span.end;
    // A directive of the preprocessor has its newline.
    if (end > span.begin + 1 && positions_.column(end) == 1) --end;
    for (int line = positions_.line(span.begin); line <= positions_.line(end - 1); ++line) {
      if (line < 1 || index(line) > kinds_.size()) continue;
      Kind& at = kinds_[index(line - 1)];
      at = std::max(at, kind);
    }
  }

  Positions positions_;
  std::vector<Kind> kinds_;
};

}  // namespace

std::vector<bool> scaffolding_lines(const SourceFile& file) {
  constexpr std::array<std::string_view, 4> kKnown{"cpp", "cuda", "c", "python"};
  std::vector<bool> none(file.lines.size());
  if (std::ranges::count(kKnown, file.language) == 0) return none;
  std::string text;
  for (const std::string& line : file.lines) text += line + '\n';
  const SyntaxTree tree(text, file.language);
  if (tree.root() == nullptr) return none;
  Lines lines(text, file.lines.size());
  lines.add_members(*tree.root());
  return lines.take();
}

}  // namespace lectern
