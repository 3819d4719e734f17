#pragma once

#include <cstddef>
#include <string_view>

namespace lectern {

/// Scans JSON text (RFC 8259) and checks its grammar, and that its values are representable: no lone
/// surrogate, no number beyond a double's range. Keeps only its position. Every step returns false if the
/// text is wrong there; problem() says how.
class JsonScanner {
 public:
  static constexpr int kMaxDepth = 200;

  explicit JsonScanner(std::string_view text, std::size_t position = 0) : text_(text), at_(position) {}

  /// Skips one value.
  bool value() { return value(0); }
  /// Skips one string; raw() is the text between its quotes.
  bool string();
  std::string_view raw() const { return raw_; }

  /// Walks an object or an array: calls `element` at the start of each value, which it must skip.
  template <typename Member>
  bool object(Member member);  ///< member(raw name)
  template <typename Element>
  bool array(Element element);

  void blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }
  /// The next byte; past the end one that is no JSON.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\x01'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    return ++at_, true;
  }
  bool wrong(const char* problem) {
    problem_ = problem;
    ended_ = ended_ || at_ >= text_.size();
    return false;
  }

  std::size_t position() const { return at_; }
  const char* problem() const { return problem_; }
  /// Whether the only error is that the text ends too early.
  bool ended() const { return ended_; }

 private:
  bool value(int depth);
  bool escape();
  bool code_unit(unsigned& unit);
  bool number();
  bool word(std::string_view expected);
  bool digit() const { return peek() >= '0' && peek() <= '9'; }
  void digits() {
    while (digit()) ++at_;
  }

  std::string_view text_;
  std::size_t at_;
  std::string_view raw_;
  const char* problem_ = "";
  bool ended_ = false;
};

template <typename Member>
bool JsonScanner::object(Member member) {
  if (!take('{')) return wrong("'{' expected");
  blanks();
  if (take('}')) return true;
  for (;;) {
    if (peek() != '"') return wrong("a name in quotes expected");
    if (!string()) return false;
    const std::string_view name = raw_;
    blanks();
    if (!take(':')) return wrong("':' expected");
    blanks();
    if (!member(name)) return false;
    blanks();
    if (take('}')) return true;
    if (!take(',')) return wrong("',' or '}' expected");
    blanks();
  }
}

template <typename Element>
bool JsonScanner::array(Element element) {
  if (!take('[')) return wrong("'[' expected");
  blanks();
  if (take(']')) return true;
  for (;;) {
    if (!element()) return false;
    blanks();
    if (take(']')) return true;
    if (!take(',')) return wrong("',' or ']' expected");
    blanks();
  }
}

}  // namespace lectern
