#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "instrument/positions.h"
#include "trace/tokens.h"

namespace lectern {

/// The structure of a source by its tokens alone, for error recovery: matching brackets, matching #if, #else
/// and #endif, and statements and declarations whose beginning and end are certain.
class Outline {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// A token, or a preprocessor directive.
  struct Lexeme {
    TokenKind kind;
    std::string_view text;
    std::string_view directive = {};  ///< its name: "if", "define"; "#" when it has none
    std::size_t match = none;  ///< of an opening bracket the closing one, of #if the next #else or #endif
    bool unbalanced = false;   ///< an opening brace or a conditional's branch with unmatched brackets inside
  };
  /// Lexemes [first, last).
  struct Range {
    std::size_t first, last;
  };
  /// A statement or declaration; several where their boundaries are uncertain.
  struct Piece {
    Range range;
    std::size_t body;  ///< where its labels end
    bool complete;     ///< its end is certain
  };
  enum class Contents { statements, declarations };

  explicit Outline(std::string_view source);

  Range all() const { return {0, lexemes_.size()}; }
  const Lexeme& operator[](std::size_t i) const { return lexemes_[i]; }
  ByteSpan span(Range range) const;

  /// Whether all braces and conditionals match.
  bool balanced() const { return balanced_; }
  /// #if, #elif and #else whose branch leaves a bracket open or closes one of another branch.
  const std::vector<std::size_t>& split_branches() const { return split_; }

  std::vector<Piece> pieces(Range range, Contents contents) const;
  /// The contents of the outermost braces of a piece, or the branches of a piece that is one conditional.
  std::vector<Range> groups(const Piece& piece) const;
  /// Whether control enters the piece only at its beginning and nothing in it affects code outside: no
  /// labels, `case`, `co_await`, macro definitions.
  bool is_self_contained(const Piece& piece) const;

 private:
  void match_brackets();
  template <typename... Texts>
  bool is(std::size_t i, Texts... texts) const {
    return i < lexemes_.size() && ((lexemes_[i].text == texts) || ...);
  }
  bool is_name(std::size_t i) const { return lexemes_[i].kind == TokenKind::name; }
  bool is_conditional(std::size_t i) const { return lexemes_[i].directive.starts_with("if"); }
  std::size_t matching_endif(std::size_t conditional) const;
  std::size_t label_end(std::size_t i, std::size_t last) const;
  std::size_t group_end(std::size_t i, std::size_t last, std::string_view opening) const;
  std::size_t statement_end(std::size_t i, std::size_t last) const;
  std::size_t plain_statement_end(std::size_t begin, std::size_t last) const;
  std::size_t declaration_end(std::size_t begin, std::size_t last) const;
  std::optional<std::size_t> end_at_directive(std::size_t begin, std::size_t& i, std::size_t last,
                                              Contents contents) const;
  bool is_macro_call(std::size_t begin, std::size_t close, std::size_t last) const;
  bool continues(std::size_t i, std::size_t last) const;
  bool has_complete_branches(std::size_t conditional, Contents contents) const;
  bool branches_end_in_semicolons(std::size_t conditional) const;

  std::string_view source_;
  std::vector<Lexeme> lexemes_;
  std::vector<std::size_t> split_;
  bool balanced_ = true;
};

}  // namespace lectern
