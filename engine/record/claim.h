#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

// The author's own comparisons are instantiated here; compilers have warned about them (signs, conversions)
// already.
#pragma GCC system_header

/// What `assert` means for a simple comparison: `Decompose{} <= a == b` takes the comparison apart without
/// evaluating anything twice, so that both operands can be shown.
namespace lectern {

class ValueWriter;
template <typename T>
void write_value(ValueWriter& out, const T& value);

namespace claims {

/// The JSON text of an operand that `write` writes.
std::string operand_json(void (*write)(const void*, ValueWriter&), const void* operand);

/// Whether claims are recorded.
bool wanted();
void record_held(const char* op, const std::string& left, const std::string& right);
/// Ends the run, except in an exercise.
void fail(const char* text, const char* file, int line, const char* op = nullptr,
          const std::string& left = {}, const std::string& right = {});
void check_plain(bool held, const char* text, const char* file, int line);

template <typename T>
std::string write_operand(const T& operand) {
  return operand_json([](const void* p, ValueWriter& out) { write_value(out, *static_cast<const T*>(p)); },
                      std::addressof(operand));
}

/// Scalars are held by value (they may be bit-fields, or constants without a definition), all else by
/// reference: it lives until the end of the assert.
template <typename T>
struct Operand {
  using Type = std::remove_cvref_t<T>;
  T value;
};

template <typename L, typename R>
struct Comparison {
  Operand<L> left;
  Operand<R> right;
  const char* op;
  bool held;
  constexpr operator bool() const { return held; }
};

template <typename L>
struct Left {
  Operand<L> operand;
  constexpr explicit operator bool() const { return static_cast<bool>(operand.value); }
};

template <typename T>
concept Scalar = std::is_scalar_v<T>;
template <typename T>
concept Object = !std::is_scalar_v<T> && !std::is_function_v<T>;

struct Decompose {
  template <Scalar L>
  constexpr Left<L> operator<=(L left) const {
    return {{left}};
  }
  template <Object L>
  constexpr Left<const L&> operator<=(const L& left) const {
    return {{left}};
  }
  template <typename E, std::size_t N>
  constexpr Left<const E (&)[N]> operator<=(const E (&left)[N]) const {
    return {{left}};
  }
};

// Each operator tries the operands as they are, then an integer operand as the literal 0 that it may have
// been (a null pointer, the 0 that orderings compare with), then both without const.
#define LECTERN_CLAIM_OPERATOR(op, name)                                                         \
  template <typename L, typename R>                                                              \
  constexpr bool name(const L& left, const R& right) {                                           \
    if constexpr (requires { static_cast<bool>(left op right); }) {                              \
      return static_cast<bool>(left op right);                                                   \
    } else if constexpr (std::is_integral_v<R> && requires { static_cast<bool>(left op 0); }) {  \
      return static_cast<bool>(left op 0);                                                       \
    } else if constexpr (std::is_integral_v<L> && requires { static_cast<bool>(0 op right); }) { \
      return static_cast<bool>(0 op right);                                                      \
    } else {                                                                                     \
      return static_cast<bool>(const_cast<L&>(left) op const_cast<R&>(right));                   \
    }                                                                                            \
  }                                                                                              \
  template <typename L, Scalar R>                                                                \
  constexpr Comparison<L, R> operator op(const Left<L>& left, R right) {                         \
    return {{left.operand}, {right}, #op, name(left.operand.value, right)};                      \
  }                                                                                              \
  template <typename L, Object R>                                                                \
  constexpr Comparison<L, const R&> operator op(const Left<L>& left, const R& right) {           \
    return {{left.operand}, {right}, #op, name(left.operand.value, right)};                      \
  }                                                                                              \
  template <typename L, typename E, std::size_t N>                                               \
  constexpr Comparison<L, const E(&)[N]> operator op(const Left<L>& left, const E(&right)[N]) {  \
    return {{left.operand}, {right}, #op, name(left.operand.value, right)};                      \
  }
LECTERN_CLAIM_OPERATOR(==, equal)
LECTERN_CLAIM_OPERATOR(!=, not_equal)
LECTERN_CLAIM_OPERATOR(<, less)
LECTERN_CLAIM_OPERATOR(<=, less_or_equal)
LECTERN_CLAIM_OPERATOR(>, greater)
LECTERN_CLAIM_OPERATOR(>=, greater_or_equal)
#undef LECTERN_CLAIM_OPERATOR

template <typename L, typename R>
constexpr void check(const Comparison<L, R>& comparison, const char* text, const char* file, int line) {
  if (__builtin_is_constant_evaluated()) {
    if (!comparison.held) fail(text, file, line);
    return;
  }
  if (comparison.held && !wanted()) return;
  const std::string left = write_operand(comparison.left.value);
  const std::string right = write_operand(comparison.right.value);
  if (!comparison.held) return fail(text, file, line, comparison.op, left, right);
  record_held(comparison.op, left, right);
}

template <typename T>
constexpr void check(const T& claim, const char* text, const char* file, int line) {
  const bool held = static_cast<bool>(claim);
  if (__builtin_is_constant_evaluated()) {
    if (!held) fail(text, file, line);
    return;
  }
  check_plain(held, text, file, line);
}

}  // namespace claims
}  // namespace lectern

/// `assert` for one comparison at the top level of the expression. Evaluates it once; an expression of type
/// void.
#define LECTERN_ASSERT_COMPARE(...) \
  ::lectern::claims::check(::lectern::claims::Decompose{} <= __VA_ARGS__, #__VA_ARGS__, __FILE__, __LINE__)
