#include "kernels/cpu/element_blocks.h"

#include <type_traits>

#include "kernels/cpu/isa.h"
#include "kernels/elementwise_functors.h"

namespace lectern::kernels::LECTERN_ISA {
namespace {

/// How a result is stored: bool as a byte.
template <typename R>
using Stored = std::conditional_t<std::is_same_v<R, bool>, std::uint8_t, R>;

template <typename Functor, typename T>
void unary_block(void* out, const void* a, std::int64_t count) {
  auto* to = static_cast<T*>(out);
  const auto* x = static_cast<const T*>(a);
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = Functor{}(x[i]);
}

/// Steps are 1, or 0 for an operand that repeats.
template <typename Functor, typename T, int kStepA, int kStepB>
void binary_block(void* out, const void* a, const void* b, std::int64_t count) {
  using To = Stored<std::invoke_result_t<Functor, T, T>>;
  auto* to = static_cast<To*>(out);
  const auto* x = static_cast<const T*>(a);
  const auto* y = static_cast<const T*>(b);
  const T x0 = x[0];
  const T y0 = y[0];
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = Functor{}(kStepA == 0 ? x0 : x[i], kStepB == 0 ? y0 : y[i]);
}

template <typename Functor, typename T>
constexpr UnaryBlock unary() {
  if constexpr (std::is_invocable_v<Functor, T>) {
    return unary_block<Functor, T>;
  } else {
    return nullptr;
  }
}

template <typename Functor, typename T>
constexpr BinaryBlocks binary() {
  if constexpr (std::is_invocable_v<Functor, T, T>) {
    return {binary_block<Functor, T, 1, 1>, binary_block<Functor, T, 0, 1>, binary_block<Functor, T, 1, 0>};
  } else {
    return {};
  }
}

}  // namespace

constinit const ElementBlocks element_blocks = {
    {
#define LECTERN_ROW(name, Functor, rule) \
  {unary<Functor, float>(), unary<Functor, double>(), unary<Functor, std::int64_t>()},
        LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
    },
    {
#define LECTERN_ROW(name, Functor, rule) \
  {binary<Functor, float>(), binary<Functor, double>(), binary<Functor, std::int64_t>()},
        LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
    },
};

}  // namespace lectern::kernels::LECTERN_ISA
