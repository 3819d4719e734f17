#include <fmt/format.h>

#include "instrument/insertions.h"
#include "instrument/program.h"
#include "instrument/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// How many brackets of each kind a text leaves open; false when it closes one that it did not open.
struct Brackets {
  int round = 0, square = 0, curly = 0;

  void add(std::string_view token) {
    for (const char c : token) {
      round += c == '(' ? 1 : c == ')' ? -1 : 0;
      square += c == '[' ? 1 : c == ']' ? -1 : 0;
      curly += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
  }
  bool balanced() const { return round == 0 && square == 0 && curly == 0; }
};

std::string_view first_word(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz", begin);
  return line.substr(begin, std::min(end, line.size()) - begin);
}

/// What the brackets say about a file, counted without the parser and outside of directives.
struct Balance {
  bool whole = true;         ///< each is closed, in the file and in each branch of a conditional
  bool conditionals = true;  ///< in each branch
};

/// Reports each #if, #elif or #else whose lines leave a bracket open.
Balance check_balance(Program& program) {
  struct Branch {
    std::size_t offset;
    Brackets brackets;
  };
  std::vector<Branch> open;
  Balance balance;
  Brackets all;
  const auto close = [&] {
    if (open.back().brackets.balanced()) return;
    balance = {false, false};
    program.report(
        Severity::error, open.back().offset,
        "the lines between this directive and the next split a statement or a pair of brackets, which "
        "cannot be stepped; put whole statements and both brackets into each branch");
  };
  std::size_t directive_end = 0;
  for (const Token& token : tokens_and_comments(program.source, "cpp")) {
    const auto offset = static_cast<std::size_t>(token.text.data() - program.source.data());
    if (token.kind == TokenKind::comment || offset < directive_end) continue;
    const std::size_t line = program.positions.line_begin(program.positions.line(offset));
    const bool first =
        program.source.substr(line, offset - line).find_first_not_of(" \t") == std::string_view::npos;
    if (token.text != "#" || !first) {
      if (token.kind != TokenKind::punctuation) continue;
      if (!open.empty()) open.back().brackets.add(token.text);
      all.add(token.text);
      if (all.round < 0 || all.square < 0 || all.curly < 0) balance.whole = false;
      continue;
    }
    directive_end = std::min(program.source.find('\n', offset), program.source.size());
    while (directive_end < program.source.size() && program.source[directive_end - 1] == '\\') {
      directive_end = std::min(program.source.find('\n', directive_end + 1), program.source.size());
    }
    const std::string_view word = first_word(program.source.substr(offset + 1, directive_end - offset - 1));
    if (word.starts_with("if")) {
      open.push_back({offset, {}});
    } else if (!open.empty() && (word == "else" || word.starts_with("elif"))) {
      close();
      open.back() = {offset, {}};
    } else if (!open.empty() && word == "endif") {
      close();
      open.pop_back();
    }
  }
  balance.whole = balance.whole && all.balanced();
  return balance;
}

/// Whether the braces of a body match when counted without the parser: what follows it is then outside for
/// sure.
bool braces_match(const Program& program, const Node& body) {
  int depth = 0;
  for (const Token& token : tokens_and_comments(program.text(body), "cpp")) {
    if (token.kind != TokenKind::punctuation) continue;
    for (const char c : token.text) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    const auto end = static_cast<std::size_t>(token.text.data() + token.text.size() - program.source.data());
    if (depth <= 0) return depth == 0 && end == body.end;
  }
  return false;
}

bool in_list(const Node& statement) {
  return statement.parent != nullptr &&
         (statement.parent->is("compound_statement") || statement.parent->is("case_statement"));
}

/// A macro that stands like a statement without its semicolon; statements.cpp knows how to go around it. The
/// parser makes up the semicolon, or makes an ERROR of the macro alone.
bool is_bare_macro(const Node& broken) {
  if (broken.is("ERROR")) {
    const Node* only = broken.first;
    return in_list(broken) && only != nullptr && only->next == nullptr && !only->has_error &&
           (only->is("identifier") || (only->is("call_expression") && only->first->is("identifier")));
  }
  const Node& statement = *broken.parent;
  return broken.is(";") && in_list(statement) && statement.is("expression_statement") &&
         statement.next_code() != nullptr && statement.first->is("call_expression") &&
         statement.first->first->is("identifier") && !statement.first->has_error;
}

/// `const T& name = {}` as a parameter: the parser makes up a type before the braces, and is right about all
/// else.
bool is_braced_default(const Node& broken) {
  return broken.is("type_identifier") && broken.missing && broken.parent->is("compound_literal_expression") &&
         broken.parent->field == "default_value";
}

/// The statement around a broken place when it is sure where that statement begins and ends: it can be one
/// step as a whole. Null when it is not sure.
const Node* opaque_statement(const Program& program, const Node& broken) {
  const Node* node = broken.parent;
  while (node != nullptr && node->parent != nullptr && !in_list(*node)) node = node->parent;
  if (node == nullptr || node->parent == nullptr) return nullptr;
  if (!node->is("expression_statement") && !node->is("declaration") && !node->is("return_statement"))
    return nullptr;
  Brackets brackets;
  std::string_view last;
  for (const Token& token : tokens_and_comments(program.text(*node), "cpp")) {
    if (token.kind == TokenKind::comment) continue;
    const bool outside = brackets.curly == 0;
    for (const std::string_view word :
         {"if", "else", "for", "while", "do", "switch", "case", "default", "try", "catch"}) {
      if (outside && token.text == word) return nullptr;
    }
    if (token.text == "#") return nullptr;
    if (token.kind == TokenKind::punctuation) brackets.add(token.text);
    if (brackets.round < 0 || brackets.square < 0 || brackets.curly < 0) return nullptr;
    last = token.text;
  }
  return last == ";" && brackets.balanced() ? node : nullptr;
}

/// The outermost function whose body holds the node; null when something above is broken.
const Node* function_around(const Node& node) {
  const Node* found = nullptr;
  for (const Node* at = node.parent; at != nullptr; at = at->parent) {
    if (at->is("ERROR")) return nullptr;
    if (at->is("function_definition")) found = at;
  }
  const Node* body = found != nullptr ? found->child_of_kind("compound_statement") : nullptr;
  return body != nullptr && body->contains(node) ? found : nullptr;
}

/// Whether something stands outside of every function: nothing of it runs but lambdas, which are left alone.
bool outside_functions(const Node& node) {
  if (node.parent == nullptr) return false;  // no structure was found at all
  for (const Node* at = node.parent; at != nullptr; at = at->parent) {
    if (at->is("compound_statement") || at->is("function_definition") || at->is("lambda_expression"))
      return false;
  }
  return true;
}

void check_errors(Program& program) {
  const Node& root = *program.tree.root();
  if (!root.has_error) return;
  const Balance balance = check_balance(program);
  if (!balance.conditionals) return;
  walk(root, [&](const Node& node) {
    if (!node.has_error && !node.missing) return false;
    const bool broken = node.is("ERROR") || node.missing;
    if (!broken || is_bare_macro(node) || is_braced_default(node)) return !broken;
    const int line = program.positions.line(node.begin);
    const Node* function = function_around(node);
    const bool certain =
        function != nullptr && braces_match(program, *function->child_of_kind("compound_statement"));
    const Node* statement = certain ? opaque_statement(program, node) : nullptr;
    if (statement != nullptr) {
      if (program.opaque.insert(statement).second) {
        program.report(
            Severity::warning, node.begin,
            "this cannot be parsed, so the statement around it is one step and nothing inside of it is "
            "stepped; if a macro stands here without its semicolon, add that");
      }
    } else if (certain) {
      if (program.unreadable.emplace(function, fmt::format("line {} cannot be parsed", line)).second) {
        program.report(
            Severity::warning, node.begin,
            "this cannot be parsed, so the function around it is not stepped; write it without the macro or "
            "rare syntax, or move it into a function of its own");
      }
    } else if (balance.whole && outside_functions(node)) {
      const bool may_hold_functions = program.text(node).find('{') != std::string_view::npos ||
                                      node.parent->is("translation_unit") ||
                                      node.parent->is("declaration_list");
      program.report(
          may_hold_functions ? Severity::warning : Severity::note, node.begin,
          "this cannot be parsed, so functions that begin here are not stepped; write it without the "
          "macro or rare syntax if it is one");
    } else {
      program.report(
          Severity::error, node.begin,
          "this cannot be parsed, so the file cannot be stepped; write it without the macro or rare syntax");
    }
    return false;
  });
}

void check_directives(Program& program, const Node& node) {
  if (node.is("preproc_call")) {
    const Node* directive = node.child("directive");
    if (directive != nullptr && program.text(*directive) == "#line") {
      program.report(Severity::error, node.begin,
                     "a #line of its own would be overruled by the probes; remove it");
    }
  }
  const Node* type =
      node.is("declaration") && node.parent->is("translation_unit") ? node.child("type") : nullptr;
  if (type != nullptr && (program.text(*type) == "import" || program.text(*type) == "module")) {
    program.report(Severity::error, node.begin, "modules cannot be stepped; include headers instead");
  }
}

}  // namespace

void check_source(Program& program) {
  const std::size_t marker = program.source.find(insertion_marker);
  if (marker != std::string_view::npos) {
    program.report(Severity::error, marker, "the file has probes already; instrument the original");
    return;
  }
  if (program.tree.root() == nullptr) {
    program.report(Severity::error, 0, "the file is nested too deeply to be stepped");
    return;
  }
  check_errors(program);
  walk(*program.tree.root(), [&](const Node& node) {
    check_directives(program, node);
    return true;
  });
}

}  // namespace lectern
