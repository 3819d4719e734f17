#pragma once

#include <string_view>
#include <vector>

#include "instrument/directives.h"
#include "trace/tokens.h"

namespace lectern {

/// A source by its tokens alone, for where the parser gives up: which brackets and which #if, #else and
/// #endif belong together, and where statements and declarations begin and end for sure.
class Outline {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// A token, or a whole preprocessor directive.
  struct Lexeme {
    TokenKind kind;
    std::string_view text;
    std::string_view directive = {};  ///< its word: "if", "define"; "#" when it has none
    std::size_t partner = none;  ///< of an opening bracket the closing one, of #if the next #else or #endif
    bool tangled = false;        ///< an opening brace or a branch, with brackets inside that do not match
  };
  /// Lexemes from first to last, without the last.
  struct Range {
    std::size_t first, last;
  };
  /// A statement or declaration; several where it is not sure that they can be told apart.
  struct Piece {
    Range all;
    std::size_t body;  ///< where its labels end
    bool complete;     ///< it surely ends here
  };
  enum class Of { statements, declarations };

  explicit Outline(std::string_view source);

  Range all() const { return {0, lexemes_.size()}; }
  const Lexeme& operator[](std::size_t i) const { return lexemes_[i]; }
  ByteSpan span(Range range) const;

  /// Whether all braces and conditionals match.
  bool balanced() const { return balanced_; }
  /// #if, #elif and #else whose lines leave a bracket open or close one of another branch.
  const std::vector<std::size_t>& split_branches() const { return split_; }

  std::vector<Piece> pieces(Range range, Of what) const;
  /// What is in the outermost braces of a piece, or in the branches of one that is a whole conditional.
  std::vector<Range> groups(const Piece& piece) const;
  /// Whether nothing jumps into the piece, and nothing in it concerns what is outside of it: labels, `case`,
  /// `co_await`, definitions of macros.
  bool stands_alone(const Piece& piece) const;

 private:
  void match();
  bool is(std::size_t i, std::string_view text) const {
    return i < lexemes_.size() && lexemes_[i].text == text;
  }
  bool is_name(std::size_t i) const { return lexemes_[i].kind == TokenKind::name; }
  bool is_conditional(std::size_t i) const { return lexemes_[i].directive.starts_with("if"); }
  std::size_t endif_of(std::size_t conditional) const;
  std::size_t after_label(std::size_t i, std::size_t last) const;
  std::size_t after_group(std::size_t i, std::size_t last, std::string_view opening) const;
  std::size_t after_statement(std::size_t i, std::size_t last) const;
  std::size_t after_plain_statement(std::size_t begin, std::size_t last) const;
  std::size_t after_declaration(std::size_t begin, std::size_t last) const;
  bool is_macro_call(std::size_t begin, std::size_t close, std::size_t last) const;
  bool goes_on(std::size_t i, std::size_t last) const;
  bool holds_statements(std::size_t conditional, Of what) const;
  bool ends_with_semicolons(std::size_t conditional) const;

  std::string_view source_;
  std::vector<Lexeme> lexemes_;
  std::vector<std::size_t> split_;
  bool balanced_ = true;
};

}  // namespace lectern
