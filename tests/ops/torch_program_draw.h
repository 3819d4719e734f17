#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ops/torch_program.h"
#include "ops/torch_reference.h"

// The parts that random programs are drawn from (ops/torch_program_writer.h).

namespace lectern::test {

/// What is drawn, from what the variables hold so far.
class Draw {
 public:
  Draw(std::uint32_t seed, std::int64_t most_elements);

  std::int64_t below(std::int64_t end);
  /// One time in `times`.
  bool chance(std::int64_t times) { return below(times) == 0; }
  template <typename T>
  T one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
  }

  Sizes sizes();
  /// Of as many elements; one size may be -1.
  Sizes regrouped(std::int64_t elements);
  Sizes order(std::int64_t rank);
  /// One that is defined; a new one more likely than an old one.
  Expression variable();

  /// Of the shape, below `end`; some perhaps several times.
  Expression positions(const Sizes& sizes, std::int64_t end);

  Tensor look(const Expression& at) const;
  /// What is larger is only looked at and overwritten.
  bool is_moderate(const Expression& at) const;
  /// Moderate, and of eighths that were made of eighths: no rounding decides what is larger, or above 0.
  bool is_exact(const Expression& at) const;
  /// Notes what a statement rounded; to be called after each.
  void follow(const Statement& statement);
  double largest(const Expression& at) const;

  Variables variables;
  const std::int64_t most;

 private:
  std::mt19937 random_;
  std::vector<bool> rounded_;  ///< variables that were not of eighths, or made of such
  bool is_large_;
};

/// A view of x, or of something beside it: perhaps x itself.
Expression draw_view(Draw& draw, const Expression& x);
/// A new tensor.
std::optional<Expression> draw_operation(Draw& draw);

struct Change {
  Expression expression;
  bool may_refuse = false;
};
/// A change in place.
std::optional<Change> draw_change(Draw& draw);

/// What can be broadcast with x; to the shape of x, where that is to be changed.
std::optional<Expression> draw_partner(Draw& draw, const Expression& x, bool to_its_shape);

/// Whether two of its elements are one number in memory.
bool has_element_twice(const Tensor& x);

inline std::string text_of(bool value) {
  return value ? "True" : "False";
}
template <std::integral T>
std::string text_of(T value) {
  return std::to_string(value);
}
inline std::string text_of(double value) {
  return std::to_string(value);
}
inline std::string text_of(const Sizes& sizes) {
  return to_string(sizes);
}

/// x.name(arguments).
template <typename Method, typename... Arguments>
Expression call(const Expression& x, const std::string& name, const Method& method,
                const Arguments&... arguments) {
  std::string text;
  ((text += (text.empty() ? "" : ", ") + text_of(arguments)), ...);
  return apply("{0}." + name + "(" + text + ")", {x},
               [=](const In& in) -> Tensor { return std::invoke(method, in[0], arguments...); });
}

}  // namespace lectern::test
