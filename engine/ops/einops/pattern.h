#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/sizes.h"

// The patterns of einops: axis names separated by spaces, parentheses around those that form one dimension,
// `1` or `()` for a dimension of size 1, and `...` for any number of dimensions.

namespace lectern::einops {

/// A pattern argument: any string type, but no list of integers.
class PatternText {
 public:
  template <std::convertible_to<std::string_view> T>
  PatternText(const T& text) : text_(text) {}

  operator std::string_view() const { return text_; }

 private:
  std::string_view text_;
};

/// The context of a pattern, for errors.
struct Context {
  std::string_view operation;
  std::string_view pattern;
  const Sizes* shape = nullptr;  ///< the tensor's, if there is one
};

/// A TensorError "OPERATION: PROBLEM; the pattern is `PATTERN`, the shape [2, 3]".
[[noreturn]] void refuse(const Context& context, const std::string& problem);

struct Axis {
  std::string name;       ///< "..." for an ellipsis; for a number, the number and a unique mark
  std::int64_t size = 0;  ///< for a number

  bool is_ellipsis() const { return name == "..."; }
  bool is_number() const { return size != 0; }

  friend bool operator==(const Axis&, const Axis&) = default;
};

/// The axes of one dimension, outermost first; none for a dimension of size 1.
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

  /// The axes of all groups.
  std::vector<Axis> axes() const;
  bool has_ellipsis() const { return has("..."); }
  bool has_number() const;
  /// Whether it contains an axis of this name.
  bool has(std::string_view name) const;
};

/// Two expressions, as in "b (h w) -> b h w".
struct Pattern {
  Expression left;
  Expression right;
};

/// Whether a name may be repeated.
enum class Repeats : std::uint8_t { refused, allowed };

/// A TensorError describing the syntax error: unbalanced or nested parentheses, a character not allowed in
/// names, a repeated name.
Expression parse_expression(const Context& context, std::string_view text,
                            Repeats repeats = Repeats::refused);
/// Likewise; also for a missing or repeated arrow.
Pattern parse_pattern(const Context& context);

}  // namespace lectern::einops
