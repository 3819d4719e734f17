#include "instrument/outline.h"

#include <algorithm>

namespace lectern {

namespace {

template <typename... Words>
bool is_one_of(std::string_view word, Words... words) {
  return ((word == words) || ...);
}

std::string_view directive_name(std::string_view directive) {
  const std::vector<std::string_view> words = tokens(directive, "cpp");
  return words.size() > 1 ? words[1] : "#";
}

}  // namespace

Outline::Outline(std::string_view source) : source_(source) {
  std::size_t directive = 0;  // where the last one ends
  for (const Token& token : tokens_and_comments(source, "cpp")) {
    const std::size_t offset = offset_in(source, token.text);
    if (token.kind == TokenKind::comment) continue;
    if (offset < directive) {
      std::string_view& text = lexemes_.back().text;
      text = {text.data(), offset_in(text, token.text) + token.text.size()};
      continue;
    }
    directive = directive_end(source, offset);
    if (directive > offset) {
      lexemes_.push_back({token.kind, token.text, directive_name(source.substr(offset, directive - offset))});
    } else if (token.text == "[[" || token.text == "]]") {
      for (const std::size_t half : {0U, 1U}) lexemes_.push_back({token.kind, token.text.substr(half, 1)});
    } else {
      lexemes_.push_back({token.kind, token.text});
    }
  }
  match_brackets();
}

void Outline::match_brackets() {
  std::vector<std::size_t> open;
  /// Matches `at` with the innermost open lexeme that fits; those opened later stay without a match.
  const auto close = [&](std::size_t at, const auto& fits) {
    const auto found = std::find_if(open.rbegin(), open.rend(), fits);
    if (found == open.rend()) return none;
    const std::size_t match = *found;
    open.erase(found.base() - 1, open.end());
    lexemes_[match].match = at;
    return match;
  };
  for (std::size_t i = 0; i < lexemes_.size(); ++i) {
    const Lexeme& lexeme = lexemes_[i];
    const std::string_view word = lexeme.directive;
    // NOLINTNEXTLINE(bugprone-branch-clone): conditionals before brackets
    if (word.starts_with("if")) {
      open.push_back(i);
    } else if (word == "else" || word.starts_with("elif") || word == "endif") {
      const bool left_open = !open.empty() && lexemes_[open.back()].directive.empty();
      const std::size_t branch = close(i, [&](std::size_t o) { return !lexemes_[o].directive.empty(); });
      if (branch == none) {
        balanced_ = false;
      } else if (left_open || lexemes_[branch].unbalanced) {
        split_.push_back(branch);
      }
      if (word != "endif") open.push_back(i);
    } else if (!word.empty() || lexeme.kind != TokenKind::punctuation) {
      continue;
    } else if (is_one_of(lexeme.text, "(", "[", "{")) {
      open.push_back(i);
    } else if (is_one_of(lexeme.text, ")", "]", "}")) {
      const std::string_view opening = lexeme.text == ")" ? "(" : lexeme.text == "]" ? "[" : "{";
      if (!open.empty() && lexemes_[open.back()].text == opening) {
        lexemes_[open.back()].match = i;
        open.pop_back();
        continue;
      }
      const auto boundary = std::find_if(open.rbegin(), open.rend(), [&](std::size_t o) {
        return !lexemes_[o].directive.empty() || lexemes_[o].text == "{";
      });
      if (boundary == open.rend()) {
        balanced_ = false;
        continue;
      }
      lexemes_[*boundary].unbalanced = true;
      if (opening == lexemes_[*boundary].text) close(i, [&](std::size_t o) { return o == *boundary; });
    }
  }
  balanced_ = balanced_ && open.empty() && split_.empty();
}

ByteSpan Outline::span(Range range) const {
  if (range.first == range.last) return {0, 0};
  const std::string_view last = lexemes_[range.last - 1].text;
  return {offset_in(source_, lexemes_[range.first].text), offset_in(source_, last) + last.size()};
}

std::size_t Outline::matching_endif(std::size_t conditional) const {
  while (lexemes_[conditional].directive != "endif") conditional = lexemes_[conditional].match;
  return conditional;
}

/// The end of the label that begins at `i`; `i` when none does.
std::size_t Outline::label_end(std::size_t i, std::size_t last) const {
  if (is(i, "case")) {
    for (std::size_t at = i + 1; at < last && !is(at, ";", "{", "}"); ++at) {
      if (is(at, ":")) return at + 1;
    }
    return i;
  }
  return is_name(i) && i + 1 < last && is(i + 1, ":") ? i + 2 : i;
}

std::vector<Outline::Piece> Outline::pieces(Range range, Contents contents) const {
  std::vector<Piece> found;
  for (std::size_t i = range.first; i < range.last; i = found.back().range.last) {
    std::size_t body = i;
    std::size_t after = none;
    if (contents == Contents::declarations) {
      after = declaration_end(body, range.last);
    } else {
      while (body < range.last && label_end(body, range.last) > body) body = label_end(body, range.last);
      after = statement_end(body, range.last);
      while (after != none && continues(after, range.last))  // an else of a macro
        after = statement_end(after + 1, range.last);
    }
    found.push_back({{i, after != none ? after : range.last}, body, after != none});
  }
  return found;
}

/// Whether the statement before `i` continues there, possibly after a directive.
bool Outline::continues(std::size_t i, std::size_t last) const {
  while (i < last && !lexemes_[i].directive.empty()) ++i;
  return i < last && is(i, "else", "catch");
}

/// Whether all statements or declarations in the branches of a conditional are complete.
bool Outline::has_complete_branches(std::size_t conditional, Contents contents) const {
  for (std::size_t i = conditional; lexemes_[i].directive != "endif"; i = lexemes_[i].match) {
    const std::vector<Piece> inside = pieces({i + 1, lexemes_[i].match}, contents);
    if (!inside.empty() && !inside.back().complete) return false;
  }
  return true;
}

/// Whether a conditional inside a statement ends it in every branch.
bool Outline::branches_end_in_semicolons(std::size_t conditional) const {
  bool has_else = false;
  for (std::size_t i = conditional; lexemes_[i].directive != "endif"; i = lexemes_[i].match) {
    if (!is(lexemes_[i].match - 1, ";")) return false;
    has_else = has_else || lexemes_[i].directive == "else";
  }
  return has_else;
}

/// The end of the brackets that open at `i`; `none` when none do.
std::size_t Outline::group_end(std::size_t i, std::size_t last, std::string_view opening) const {
  return i < last && is(i, opening) && lexemes_[i].match < last ? lexemes_[i].match + 1 : none;
}

/// The end of the statement that begins at `i`; `none` when it is uncertain.
std::size_t Outline::statement_end(std::size_t i, std::size_t last) const {
  while (i < last && label_end(i, last) > i) i = label_end(i, last);
  while (is(i, "[") && is(i + 1, "[")) i = std::min(group_end(i, last, "["), last);
  if (i >= last) return none;
  const std::string_view word = lexemes_[i].text;
  if (word == "{") return group_end(i, last, "{");
  if (is_one_of(word, "if", "for", "while", "switch")) {
    const std::size_t body = group_end(is(i + 1, "constexpr") ? i + 2 : i + 1, last, "(");
    const std::size_t end = body != none ? statement_end(body, last) : none;
    if (word != "if" || end == none || !continues(end, last)) return end;
    return is(end, "else") ? statement_end(end + 1, last) : none;
  }
  if (word == "do") {
    const std::size_t end = statement_end(i + 1, last);
    const std::size_t condition = end != none && is(end, "while") ? group_end(end + 1, last, "(") : none;
    return condition < last && is(condition, ";") ? condition + 1 : none;
  }
  if (word == "try") {
    std::size_t end = group_end(i + 1, last, "{");
    while (end < last && is(end, "catch")) {
      const std::size_t handler = group_end(end + 1, last, "(");
      end = handler != none ? group_end(handler, last, "{") : none;
    }
    return end != none && continues(end, last) ? none : end;
  }
  return plain_statement_end(i, last);
}

/// Where a statement or declaration that began at `begin` ends because of the directive at `i`; moves `i` to
/// its #endif when it does not end there.
std::optional<std::size_t> Outline::end_at_directive(std::size_t begin, std::size_t& i, std::size_t last,
                                                     Contents contents) const {
  if (!is_conditional(i)) return i == begin ? std::optional(i + 1) : std::nullopt;
  const bool complete = (i == begin && has_complete_branches(i, contents)) || branches_end_in_semicolons(i);
  const std::size_t end = matching_endif(i) + 1;
  if (complete && (contents == Contents::declarations || !continues(end, last))) return end;
  i = end - 1;
  return std::nullopt;
}

/// The end of a statement at its semicolon. Braces do not end it: they may be an initialiser's. A name before
/// a keyword is a macro.
std::size_t Outline::plain_statement_end(std::size_t begin, std::size_t last) const {
  for (std::size_t i = begin; i < last; ++i) {
    const Lexeme& lexeme = lexemes_[i];
    if (!lexeme.directive.empty()) {
      if (const auto end = end_at_directive(begin, i, last, Contents::statements)) return *end;
    } else if (is_one_of(lexeme.text, "if", "for", "while", "switch", "do", "try")) {
      return statement_end(i, last);
    } else if (lexeme.text == ";") {
      return i + 1;
    } else if (is_one_of(lexeme.text, "(", "[", "{")) {
      if (lexeme.match >= last) return none;
      i = lexeme.match;
      if (lexeme.text == "{" && i + 1 == last) return last;
    }
  }
  return none;
}

std::size_t Outline::declaration_end(std::size_t begin, std::size_t last) const {
  bool type = false, value = false, parameters = false;  // what has been seen
  for (std::size_t i = begin; i < last; ++i) {
    const Lexeme& lexeme = lexemes_[i];
    if (!lexeme.directive.empty()) {
      if (const auto end = end_at_directive(begin, i, last, Contents::declarations)) return *end;
    } else if (lexeme.text == ";") {
      return i + 1;
    } else if (is_one_of(lexeme.text, "(", "[", "{")) {
      if (lexeme.match >= last) return none;
      const bool scope = is(begin, "namespace") || is(begin + 1, "namespace") || is(begin, "extern");
      i = lexeme.match;
      if (lexeme.text == "(" && !parameters && is_macro_call(begin, i, last)) return i + 1;
      parameters = parameters || lexeme.text == "(";
      if (lexeme.text != "{" || type || value || !(scope || parameters)) continue;
      const bool in_initializers = i + 1 < last && is(i + 1, ",", "{");
      if (!in_initializers && !continues(i + 1, last)) return i + 1;
    } else {
      const bool is_parameter = i > begin && is(i - 1, "<", ",");
      type = type || lexeme.text == "requires" ||
             (is_one_of(lexeme.text, "struct", "class", "union", "enum") && !is_parameter);
      value = value || (lexeme.text == "=" && !is(i - 1, "operator"));
    }
  }
  return none;
}

/// Whether a name and parentheses are a complete declaration: no function's header continues this way.
bool Outline::is_macro_call(std::size_t begin, std::size_t close, std::size_t last) const {
  if (!is_name(begin) || !is(begin + 1, "(") || lexemes_[begin + 1].match != close) return false;
  if (close + 1 >= last) return true;
  return is_name(close + 1) &&
         !is(close + 1, "const", "volatile", "noexcept", "try", "override", "final", "requires", "throw");
}

std::vector<Outline::Range> Outline::groups(const Piece& piece) const {
  std::vector<Range> found;
  const std::size_t begin = piece.body;
  if (begin < piece.range.last && is_conditional(begin) && matching_endif(begin) + 1 == piece.range.last) {
    for (std::size_t i = begin; i + 1 != piece.range.last; i = lexemes_[i].match)
      found.push_back({i + 1, lexemes_[i].match});
    return found;
  }
  for (std::size_t i = begin; i < piece.range.last; ++i) {
    if (!lexemes_[i].directive.empty() || lexemes_[i].text != "{" || lexemes_[i].match == none) continue;
    found.push_back({i + 1, lexemes_[i].match});
    i = lexemes_[i].match;
  }
  return found;
}

bool Outline::is_self_contained(const Piece& piece) const {
  bool switched = false;
  for (std::size_t i = piece.body; i < piece.range.last; ++i) {
    const Lexeme& lexeme = lexemes_[i];
    if (lexeme.unbalanced || is_one_of(lexeme.directive, "define", "undef")) return false;
    if (lexeme.kind != TokenKind::name) continue;
    if (lexeme.text.starts_with("co_")) return false;
    switched = switched || lexeme.text == "switch";
    const bool is_case = is_one_of(lexeme.text, "case", "default");
    if (is_case && !switched) return false;
    const bool label =
        !is_case && is(i + 1, ":") && i > 0 && is(i - 1, ";", "{", "}", ")", ":", "else", "do");
    if (label) return false;
  }
  return true;
}

}  // namespace lectern
