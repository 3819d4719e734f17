#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

/// The fields of aggregates, found without the author's help: their number is how many initialisers the class
/// takes, and a structured binding reads them.
namespace lectern::aggregates {

inline constexpr std::size_t kMaxFields = 24;
inline constexpr std::size_t kMaxInitializers = 1024;

/// Initialisers that convert to the type of any field. Never executed.
struct Anything {
  template <typename T>
  operator T() const noexcept;
};
template <typename Class>
struct AnyBase {
  template <typename T>
  requires(std::is_base_of_v<T, Class> && !std::is_same_v<T, Class>) operator T() const noexcept;
};
struct AnyUnion {
  template <typename T>
  requires std::is_union_v<T>
  operator T() const noexcept;
};

template <typename Class, typename First, std::size_t... I>
consteval bool takes_first(std::index_sequence<I...>) {
  return requires {
    Class{First{}, (static_cast<void>(I), Anything{})...};
  };
}
template <typename Class, std::size_t... I>
consteval bool takes(std::index_sequence<I...>) {
  return requires {
    Class{(static_cast<void>(I), Anything{})...};
  };
}
template <typename Class, std::size_t... Before, std::size_t... Braced, std::size_t... Rest>
consteval bool takes_braced(std::index_sequence<Before...>, std::index_sequence<Braced...>,
                            std::index_sequence<Rest...>) {
  return requires {
    Class{(static_cast<void>(Before), Anything{})...,
          {(static_cast<void>(Braced), Anything{})...},
          (static_cast<void>(Rest), Anything{})...};
  };
}
template <typename Class, std::size_t... Before>
consteval bool has_union_at(std::index_sequence<Before...>) {
  return requires {
    Class{(static_cast<void>(Before), Anything{})..., AnyUnion{}};
  };
}

/// The largest count in [low, high) for which `Test<count>` holds; it holds for `low`, and for none after the
/// first that fails.
template <template <std::size_t> typename Test, std::size_t Low, std::size_t High>
consteval std::size_t last_that_holds() {
  if constexpr (High - Low <= 1) {
    return Low;
  } else if constexpr (constexpr std::size_t kMiddle = Low + (High - Low) / 2; Test<kMiddle>::value) {
    return last_that_holds<Test, kMiddle, High>();
  } else {
    return last_that_holds<Test, Low, kMiddle>();
  }
}

template <typename Class>
struct Count {
  template <std::size_t N>
  using Takes = std::bool_constant<takes<Class>(std::make_index_sequence<N>{})>;

  /// The most initialisers that the class takes, elements of arrays counted one by one; 0 when that cannot be
  /// determined.
  template <std::size_t N = 0>
  static consteval std::size_t initializers() {
    if constexpr (Takes<N>::value) {
      return upwards<N, (N < 4 ? 8 : 2 * N)>();
    } else if constexpr (N < kMaxFields) {
      return initializers<N + 1>();  // fields that must not be left out
    } else {
      return 0;
    }
  }
  template <std::size_t Low, std::size_t High>
  static consteval std::size_t upwards() {
    if constexpr (!Takes<High>::value) {
      return last_that_holds<Takes, Low, High>();
    } else if constexpr (High < kMaxInitializers) {
      return upwards<High, 2 * High>();
    } else {
      return 0;
    }
  }

  template <std::size_t Index, std::size_t Braced, std::size_t Rest>
  static consteval bool takes_field() {
    return takes_braced<Class>(std::make_index_sequence<Index>{}, std::make_index_sequence<Braced>{},
                               std::make_index_sequence<Rest>{});
  }
  template <std::size_t Index>
  struct Following {
    template <std::size_t N>
    using Takes = std::bool_constant<takes_field<Index, 1, N>()>;
  };

  /// How many initialisers the field that begins at `Index` takes: 1, or as many as an array has elements.
  template <std::size_t Index, std::size_t Max>
  static consteval std::size_t width() {
    constexpr std::size_t kLeft = Max - Index;
    if constexpr (takes_field<Index, 1, kLeft - 1>()) {
      return 1;
    } else if constexpr (takes_field<Index, 1, 0>()) {
      return kLeft - last_that_holds<Following<Index>::template Takes, 0, kLeft>();
    } else {
      return array_width<Index, Max, 2>();
    }
  }
  /// For a field that cannot be initialised from a single one in braces: an array of what has no default, or
  /// a class that refuses.
  template <std::size_t Index, std::size_t Max, std::size_t Elements>
  static consteval std::size_t array_width() {
    if constexpr (constexpr std::size_t kLeft = Max - Index; Elements > 8 || Elements > kLeft) {
      return 1;
    } else if constexpr (takes_field<Index, Elements, kLeft - Elements>() &&
                         !takes_field<Index, Elements, kLeft - Elements + 1>()) {
      return Elements;
    } else {
      return array_width<Index, Max, Elements + 1>();
    }
  }

  template <std::size_t Index, std::size_t Max>
  static consteval std::size_t fields() {
    if constexpr (Index == Max) {
      return 0;
    } else if constexpr (has_union_at<Class>(std::make_index_sequence<Index>{})) {
      return kMaxFields + 1;  // it might be an anonymous one, which a structured binding refuses
    } else {
      return 1 + fields<Index + width<Index, Max>(), Max>();
    }
  }
};

/// The number of fields; 0 when there are none or it cannot be determined (bases, unions, references, more
/// than 24 fields).
template <typename Class>
consteval std::size_t count() {
  // NOLINTBEGIN(bugprone-branch-clone): each condition is well-formed only where those before it are false.
  if constexpr (!std::is_aggregate_v<Class> || !std::is_class_v<Class> || std::is_empty_v<Class>) {
    return 0;
  } else if constexpr (constexpr std::size_t kMax = Count<Class>::initializers(); kMax == 0) {
    return 0;
  } else if constexpr (takes_first<Class, AnyBase<Class>>(std::make_index_sequence<kMax - 1>{})) {
    return 0;
  } else if constexpr (constexpr std::size_t kFields = Count<Class>::template fields<0, kMax>();
                       kFields > kMaxFields) {
    return 0;
  } else {
    return kFields;
  }
  // NOLINTEND(bugprone-branch-clone)
}

template <typename Visit, typename... Fields>
void each(const Visit& visit, const Fields&... fields) {
  (visit(fields), ...);
}

/// Calls visit(field) for each field, in order. N is count<Class>().
template <std::size_t N, typename Class, typename Visit>
void for_each_field(const Class& object, const Visit& visit) {
// clang-format off
#define LECTERN_FIELDS(count, ...)      \
  if constexpr (N == count) {           \
    const auto& [__VA_ARGS__] = object; \
    each(visit, __VA_ARGS__);           \
  }
  LECTERN_FIELDS(1, a)
  LECTERN_FIELDS(2, a, b)
  LECTERN_FIELDS(3, a, b, c)
  LECTERN_FIELDS(4, a, b, c, d)
  LECTERN_FIELDS(5, a, b, c, d, e)
  LECTERN_FIELDS(6, a, b, c, d, e, f)
  LECTERN_FIELDS(7, a, b, c, d, e, f, g)
  LECTERN_FIELDS(8, a, b, c, d, e, f, g, h)
  LECTERN_FIELDS(9, a, b, c, d, e, f, g, h, i)
  LECTERN_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
  LECTERN_FIELDS(11, a, b, c, d, e, f, g, h, i, j, k)
  LECTERN_FIELDS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  LECTERN_FIELDS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  LECTERN_FIELDS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  LECTERN_FIELDS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  LECTERN_FIELDS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  LECTERN_FIELDS(17, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
  LECTERN_FIELDS(18, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
  LECTERN_FIELDS(19, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s)
  LECTERN_FIELDS(20, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t)
  LECTERN_FIELDS(21, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u)
  LECTERN_FIELDS(22, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v)
  LECTERN_FIELDS(23, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w)
  LECTERN_FIELDS(24, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x)
#undef LECTERN_FIELDS
  // clang-format on
}

}  // namespace lectern::aggregates
