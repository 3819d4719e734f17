#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/sizes.h"

// The patterns of einops: names of axes with spaces between them, parentheses around those that are one
// dimension of a tensor, `1` or `()` for a dimension of size 1, and `...` for any number of dimensions.

namespace lectern::einops {

/// A pattern as an argument: anything that is text, and no list of numbers.
class PatternText {
 public:
  template <std::convertible_to<std::string_view> T>
  PatternText(const T& text) : text_(text) {}

  operator std::string_view() const { return text_; }

 private:
  std::string_view text_;
};

/// What a pattern is called for, in errors.
struct Context {
  std::string_view operation;
  std::string_view pattern;
  const Sizes* shape = nullptr;  ///< of the tensor, where there is one
};

/// A TensorError "OPERATION: PROBLEM; the pattern is `PATTERN`, the shape [2, 3]".
[[noreturn]] void refuse(const Context& context, const std::string& problem);

struct Axis {
  std::string name;       ///< "..." for what that stands for; of a number, the number and a mark of its own
  std::int64_t size = 0;  ///< of a number

  bool is_ellipsis() const { return name == "..."; }
  bool is_number() const { return size != 0; }

  friend bool operator==(const Axis&, const Axis&) = default;
};

/// The axes of one dimension of a tensor, the outermost first; none for a dimension of size 1.
struct Group {
  std::vector<Axis> axes;
  bool in_parentheses = false;

  /// Whether it stands for any number of dimensions.
  bool is_ellipsis() const { return !in_parentheses && axes.size() == 1 && axes[0].is_ellipsis(); }
  bool has_ellipsis() const;
};

/// A list of axes, as on either side of an arrow.
struct Expression {
  std::vector<Group> groups;

  bool has_ellipsis() const { return has("..."); }
  bool has_number() const;
  /// Whether an axis of this name is there.
  bool has(std::string_view name) const;
};

/// Two of them, as in "b (h w) -> b h w".
struct Pattern {
  Expression left;
  Expression right;
};

/// Whether a name may come more than once.
enum class Repeats : std::uint8_t { refused, allowed };

/// A TensorError that says what is wrong with the text, where it is no expression: unbalanced or nested
/// parentheses, a character that is none of a name, a name that comes twice.
Expression parse_expression(const Context& context, std::string_view text,
                            Repeats repeats = Repeats::refused);
/// Likewise; also without an arrow, or with more than one.
Pattern parse_pattern(const Context& context);

}  // namespace lectern::einops
