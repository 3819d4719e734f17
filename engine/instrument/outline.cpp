#include "instrument/outline.h"

#include <algorithm>
#include <array>

namespace lectern {

namespace {

using Words = std::initializer_list<std::string_view>;

bool one_of(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view directive_word(std::string_view directive) {
  const std::vector<std::string_view> words = tokens(directive, "cpp");
  return words.size() > 1 ? words[1] : "#";
}

}  // namespace

Outline::Outline(std::string_view source) : source_(source) {
  std::size_t directive = 0;  // where the last one ends
  for (const Token& token : tokens_and_comments(source, "cpp")) {
    const auto offset = static_cast<std::size_t>(token.text.data() - source.data());
    if (token.kind == TokenKind::comment) continue;
    if (offset < directive) {
      std::string_view& text = lexemes_.back().text;
      text = source.substr(static_cast<std::size_t>(text.data() - source.data()));
      text = text.substr(0, static_cast<std::size_t>(token.text.data() + token.text.size() - text.data()));
      continue;
    }
    directive = directive_end(source, offset);
    if (directive > offset) {
      const std::string_view word = directive_word(source.substr(offset, directive - offset));
      lexemes_.push_back({token.kind, token.text, word});
    } else if (token.text == "[[" || token.text == "]]") {
      for (const std::size_t half : {0U, 1U}) lexemes_.push_back({token.kind, token.text.substr(half, 1)});
    } else {
      lexemes_.push_back({token.kind, token.text});
    }
  }
  match();
}

void Outline::match() {
  std::vector<std::size_t> open;
  /// Closes all that is open above the innermost one that fits; those are left without a partner.
  const auto close = [&](std::size_t at, const auto& fits) {
    const auto found = std::find_if(open.rbegin(), open.rend(), fits);
    if (found == open.rend()) return none;
    const std::size_t partner = *found;
    open.erase(found.base() - 1, open.end());
    lexemes_[partner].partner = at;
    return partner;
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
      } else if (left_open || lexemes_[branch].tangled) {
        split_.push_back(branch);
      }
      if (word != "endif") open.push_back(i);
    } else if (!word.empty() || lexeme.kind != TokenKind::punctuation) {
      continue;
    } else if (one_of(lexeme.text, {"(", "[", "{"})) {
      open.push_back(i);
    } else if (one_of(lexeme.text, {")", "]", "}"})) {
      const std::string_view opening = lexeme.text == ")" ? "(" : lexeme.text == "]" ? "[" : "{";
      if (!open.empty() && lexemes_[open.back()].text == opening) {
        lexemes_[open.back()].partner = i;
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
      lexemes_[*boundary].tangled = true;
      if (opening == lexemes_[*boundary].text) close(i, [&](std::size_t o) { return o == *boundary; });
    }
  }
  balanced_ = balanced_ && open.empty() && split_.empty();
}

ByteSpan Outline::span(Range range) const {
  if (range.first == range.last) return {0, 0};
  const std::string_view last = lexemes_[range.last - 1].text;
  return {static_cast<std::size_t>(lexemes_[range.first].text.data() - source_.data()),
          static_cast<std::size_t>(last.data() + last.size() - source_.data())};
}

std::size_t Outline::endif_of(std::size_t conditional) const {
  while (lexemes_[conditional].directive != "endif") conditional = lexemes_[conditional].partner;
  return conditional;
}

/// Where a label that begins here ends; the same place when none does.
std::size_t Outline::after_label(std::size_t i, std::size_t last) const {
  if (is(i, "case")) {
    for (std::size_t at = i + 1; at < last && !one_of(lexemes_[at].text, {";", "{", "}"}); ++at) {
      if (is(at, ":")) return at + 1;
    }
    return i;
  }
  return is_name(i) && i + 1 < last && is(i + 1, ":") ? i + 2 : i;
}

std::vector<Outline::Piece> Outline::pieces(Range range, Of what) const {
  std::vector<Piece> found;
  for (std::size_t i = range.first; i < range.last; i = found.back().all.last) {
    std::size_t body = i;
    std::size_t after = none;
    if (what == Of::declarations) {
      after = after_declaration(body, range.last);
    } else {
      while (body < range.last && after_label(body, range.last) > body) body = after_label(body, range.last);
      after = after_statement(body, range.last);
      while (after != none && goes_on(after, range.last))  // an else that belongs to a macro
        after = after_statement(after + 1, range.last);
    }
    found.push_back({{i, after != none ? after : range.last}, body, after != none});
  }
  return found;
}

/// Whether what ends before `i` is continued there, maybe behind a directive.
bool Outline::goes_on(std::size_t i, std::size_t last) const {
  while (i < last && !lexemes_[i].directive.empty()) ++i;
  return i < last && (is(i, "else") || is(i, "catch"));
}

/// Whether a conditional holds whole statements only.
bool Outline::holds_statements(std::size_t conditional, Of what) const {
  for (std::size_t i = conditional; lexemes_[i].directive != "endif"; i = lexemes_[i].partner) {
    const std::vector<Piece> inside = pieces({i + 1, lexemes_[i].partner}, what);
    if (!inside.empty() && !inside.back().complete) return false;
  }
  return true;
}

/// Whether a conditional in the midst of a statement ends it, whichever branch is taken.
bool Outline::ends_with_semicolons(std::size_t conditional) const {
  bool otherwise = false;
  for (std::size_t i = conditional; lexemes_[i].directive != "endif"; i = lexemes_[i].partner) {
    if (!is(lexemes_[i].partner - 1, ";")) return false;
    otherwise = otherwise || lexemes_[i].directive == "else";
  }
  return otherwise;
}

/// Behind the pair of brackets that must open at `i`.
std::size_t Outline::after_group(std::size_t i, std::size_t last, std::string_view opening) const {
  return i < last && is(i, opening) && lexemes_[i].partner < last ? lexemes_[i].partner + 1 : none;
}

/// Where the statement that begins at `i` ends; `none` when that is not sure.
std::size_t Outline::after_statement(std::size_t i, std::size_t last) const {
  while (i < last && after_label(i, last) > i) i = after_label(i, last);
  while (is(i, "[") && is(i + 1, "[")) i = std::min(after_group(i, last, "["), last);
  if (i >= last) return none;
  const std::string_view word = lexemes_[i].text;
  if (word == "{") return after_group(i, last, "{");
  if (one_of(word, {"if", "for", "while", "switch"})) {
    const std::size_t body = after_group(is(i + 1, "constexpr") ? i + 2 : i + 1, last, "(");
    const std::size_t end = body != none ? after_statement(body, last) : none;
    if (word != "if" || end == none || !goes_on(end, last)) return end;
    return is(end, "else") ? after_statement(end + 1, last) : none;
  }
  if (word == "do") {
    const std::size_t end = after_statement(i + 1, last);
    const std::size_t behind = end != none && is(end, "while") ? after_group(end + 1, last, "(") : none;
    return behind < last && is(behind, ";") ? behind + 1 : none;
  }
  if (word == "try") {
    std::size_t end = after_group(i + 1, last, "{");
    while (end < last && is(end, "catch")) {
      const std::size_t handler = after_group(end + 1, last, "(");
      end = handler != none ? after_group(handler, last, "{") : none;
    }
    return end != none && goes_on(end, last) ? none : end;
  }
  return after_plain_statement(i, last);
}

/// To the semicolon. Braces do not end it: they may be an initialiser's. What stands before a keyword is a
/// macro.
std::size_t Outline::after_plain_statement(std::size_t begin, std::size_t last) const {
  for (std::size_t i = begin; i < last; ++i) {
    const Lexeme& lexeme = lexemes_[i];
    if (is_conditional(i)) {
      const bool whole = i == begin && holds_statements(i, Of::statements);
      const std::size_t end = endif_of(i) + 1;
      if ((whole || ends_with_semicolons(i)) && !goes_on(end, last)) return end;
      i = end - 1;
    } else if (!lexeme.directive.empty()) {
      if (i == begin) return i + 1;
    } else if (one_of(lexeme.text, {"if", "for", "while", "switch", "do", "try"})) {
      return after_statement(i, last);
    } else if (lexeme.text == ";") {
      return i + 1;
    } else if (one_of(lexeme.text, {"(", "[", "{"})) {
      if (lexeme.partner >= last) return none;
      i = lexeme.partner;
      if (lexeme.text == "{" && i + 1 == last) return last;
    }
  }
  return none;
}

std::size_t Outline::after_declaration(std::size_t begin, std::size_t last) const {
  bool type = false, value = false, parameters = false;  // what has been seen
  for (std::size_t i = begin; i < last; ++i) {
    const Lexeme& lexeme = lexemes_[i];
    if (is_conditional(i)) {
      const bool whole = i == begin && holds_statements(i, Of::declarations);
      const std::size_t end = endif_of(i) + 1;
      if (whole || ends_with_semicolons(i)) return end;
      i = end - 1;
    } else if (!lexeme.directive.empty()) {
      if (i == begin) return i + 1;
    } else if (lexeme.text == ";") {
      return i + 1;
    } else if (one_of(lexeme.text, {"(", "[", "{"})) {
      if (lexeme.partner >= last) return none;
      const bool scope = is(begin, "namespace") || is(begin + 1, "namespace") || is(begin, "extern");
      i = lexeme.partner;
      if (lexeme.text == "(" && !parameters && is_macro_call(begin, i, last)) return i + 1;
      parameters = parameters || lexeme.text == "(";
      if (lexeme.text != "{" || type || value || !(scope || parameters)) continue;
      const bool in_initializers = i + 1 < last && (is(i + 1, ",") || is(i + 1, "{"));
      if (!in_initializers && !goes_on(i + 1, last)) return i + 1;
    } else {
      const bool of_template = i > begin && (is(i - 1, "<") || is(i - 1, ","));
      type = type || lexeme.text == "requires" ||
             (one_of(lexeme.text, {"struct", "class", "union", "enum"}) && !of_template);
      value = value || (lexeme.text == "=" && !is(i - 1, "operator"));
    }
  }
  return none;
}

/// Whether a declaration that begins with a name and parentheses is only that: no function's header goes on
/// so.
bool Outline::is_macro_call(std::size_t begin, std::size_t close, std::size_t last) const {
  if (!is_name(begin) || !is(begin + 1, "(") || lexemes_[begin + 1].partner != close) return false;
  if (close + 1 >= last) return true;
  return is_name(close + 1) && !one_of(lexemes_[close + 1].text, {"const", "volatile", "noexcept", "try",
                                                                  "override", "final", "requires", "throw"});
}

std::vector<Outline::Range> Outline::groups(const Piece& piece) const {
  std::vector<Range> found;
  const std::size_t begin = piece.body;
  if (begin < piece.all.last && is_conditional(begin) && endif_of(begin) + 1 == piece.all.last) {
    for (std::size_t i = begin; i + 1 != piece.all.last; i = lexemes_[i].partner)
      found.push_back({i + 1, lexemes_[i].partner});
    return found;
  }
  for (std::size_t i = begin; i < piece.all.last; ++i) {
    if (!lexemes_[i].directive.empty() || lexemes_[i].text != "{" || lexemes_[i].partner == none) continue;
    found.push_back({i + 1, lexemes_[i].partner});
    i = lexemes_[i].partner;
  }
  return found;
}

bool Outline::stands_alone(const Piece& piece) const {
  bool switched = false;
  for (std::size_t i = piece.body; i < piece.all.last; ++i) {
    const Lexeme& lexeme = lexemes_[i];
    if (lexeme.tangled || one_of(lexeme.directive, {"define", "undef"})) return false;
    if (lexeme.kind != TokenKind::name) continue;
    if (lexeme.text.starts_with("co_")) return false;
    switched = switched || lexeme.text == "switch";
    const bool of_switch = one_of(lexeme.text, {"case", "default"});
    if (of_switch && !switched) return false;
    const bool label = !of_switch && is(i + 1, ":") && i > 0 &&
                       one_of(lexemes_[i - 1].text, {";", "{", "}", ")", ":", "else", "do"});
    if (label) return false;
  }
  return true;
}

}  // namespace lectern
