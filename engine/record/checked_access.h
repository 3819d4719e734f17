#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

/// What `lectern instrument` makes of subscripts, pointers and divisors in directives: an index out of
/// bounds, a key that is not in a map (and is not inserted), a null pointer and a division by zero are
/// reported as errors.
namespace lectern::probe {

struct AccessError : std::out_of_range {
  using std::out_of_range::out_of_range;
};

template <typename C>
concept MapLike = requires(C& map, const typename C::key_type& key) {
  typename C::mapped_type;
  map.find(key)->second;
};

/// A container of the standard library, or one like it: others may use other indices.
template <typename C>
concept SizedContainer = requires(C& container) {
  typename C::value_type;
  { container.size() } -> std::unsigned_integral;
}
|| requires(C& bits) {
  { bits.size() } -> std::unsigned_integral;
  bits.test(0);
};

/// `past`: how many elements can be read past the size.
template <typename I>
constexpr void check_index(I index, std::size_t size, std::size_t past = 0) {
  if (static_cast<std::size_t>(index) < size + past) return;
  throw AccessError("index " + std::to_string(+index) + " out of bounds, size " + std::to_string(size));
}

/// The element of a key, found without inserting it.
template <typename Map, typename Key = typename std::remove_cvref_t<Map>::key_type>
requires MapLike<std::remove_cvref_t<Map>>
constexpr decltype(auto) at(Map&& map, const Key& key) {
  const auto found = map.find(key);
  if (found == map.end()) throw AccessError("the map has no such key");
  return (found->second);
}

/// An index may be a bit-field, to which no other reference binds.
template <typename C, std::integral I>
requires(!MapLike<std::remove_cvref_t<C>>) constexpr decltype(auto) at(C&& container, const I& index) {
  using Container = std::remove_cvref_t<C>;
  if constexpr (std::is_bounded_array_v<Container>) {
    check_index(index, std::extent_v<Container>);
  } else if constexpr (requires { container.c_str(); }) {
    check_index(index, container.size(), 1);  // a string's end
  } else if constexpr (SizedContainer<Container>) {
    check_index(index, container.size());
  } else if constexpr (std::is_pointer_v<Container>) {
    if (container == nullptr) throw AccessError("the pointer is null");
  }
  return std::forward<C>(container)[index];
}

template <typename C, typename I>
requires(!MapLike<std::remove_cvref_t<C>> && !std::integral<std::remove_cvref_t<I>>) constexpr decltype(auto)
    at(C&& container, I&& index) {
  return std::forward<C>(container)[std::forward<I>(index)];
}

/// A pointer, or a class like one, that is about to be dereferenced.
template <typename P>
constexpr P&& target(P&& pointer) {
  using Pointer = std::remove_cvref_t<P>;
  if constexpr (requires {
                  { pointer.has_value() } -> std::same_as<bool>;
                }) {
    if (!pointer.has_value()) throw AccessError("the optional is empty");
  } else if constexpr (!std::is_array_v<Pointer> && !std::is_function_v<Pointer> && requires {
                         { pointer == nullptr } -> std::convertible_to<bool>;
                       }) {
    if (pointer == nullptr) throw AccessError("the pointer is null");
  }
  return std::forward<P>(pointer);
}

/// What a dividend of that type is about to be divided by.
template <typename Dividend, std::integral N>
constexpr N divisor(const N& number) {
  if (std::integral<std::remove_cvref_t<Dividend>> && number == 0) throw AccessError("division by zero");
  return number;
}

template <typename Dividend, typename N>
requires(!std::integral<std::remove_cvref_t<N>>) constexpr N&& divisor(N&& number) {
  return std::forward<N>(number);
}

/// A container whose first or last element is about to be taken.
template <typename C>
constexpr C&& filled(C&& container) {
  if constexpr (requires {
                  { container.empty() } -> std::convertible_to<bool>;
                }) {
    if (container.empty()) throw AccessError("the container is empty");
  }
  return std::forward<C>(container);
}

}  // namespace lectern::probe
