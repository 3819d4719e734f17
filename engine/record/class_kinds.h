#pragma once

#include <concepts>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

/// Kinds of classes, told by what their objects can do, which recognises library types without their headers
/// (<string_view> declares std::ranges::enable_view).
namespace lectern::values {

/// std::optional, std::expected.
template <typename T>
concept OptionalLike = requires(const T& value) {
  { value.has_value() } -> std::same_as<bool>;
  *value;
  value.value();
};

template <typename T>
concept WeakPointer = requires(const T& value) {
  value.expired();
  value.lock().get();
};

template <typename T>
concept SmartPointer = requires(const T& value) {
  typename T::element_type;
  { value.get() } -> std::convertible_to<const volatile void*>;
};

template <typename T>
concept ReferenceWrapper = requires(const T& value) {
  typename T::type;
  { value.get() } -> std::same_as<typename T::type&>;
};

template <typename T>
concept Atomic = requires(const T& value) {
  typename T::value_type;
  { value.load() } -> std::same_as<typename T::value_type>;
};

template <typename T>
concept VariantLike = requires(const T& value) {
  value.index();
  { value.valueless_by_exception() } -> std::same_as<bool>;
};

/// std::any.
template <typename T>
concept AnyLike = requires(const T& value) {
  { value.has_value() } -> std::same_as<bool>;
  { value.type() } -> std::same_as<const std::type_info&>;
};

template <typename T>
concept BitReference = requires(T& value) {
  {static_cast<const T&>(value).operator bool()};
  value.flip();
};

template <typename T>
concept BitSet = requires(const T& value) {
  value.to_ulong();
  value.to_string();
  value.test(0);
};

template <typename T>
concept Duration = requires(const T& value) {
  value.count();
  typename T::rep;
  T::period::num;
};

template <typename T>
concept TimePoint = requires(const T& value) {
  typename T::clock;
  { value.time_since_epoch() } -> Duration;
};

/// std::chrono::year_month_day.
template <typename T>
concept Date = requires(const T& value) {
  static_cast<int>(value.year());
  static_cast<unsigned>(value.month());
  static_cast<unsigned>(value.day());
};

/// std::strong_ordering and the like.
template <typename T>
concept Ordering = requires(const T& value) {
  { value < 0 } -> std::same_as<bool>;
  T::less;
  T::equivalent;
  T::greater;
};

template <typename T>
concept SourceLocation = requires(const T& value) {
  { value.file_name() } -> std::same_as<const char*>;
  { value.function_name() } -> std::same_as<const char*>;
  value.line();
};

/// std::complex.
template <typename T>
concept Complex = requires(const T& value) {
  typename T::value_type;
  { value.real() } -> std::same_as<typename T::value_type>;
  { value.imag() } -> std::same_as<typename T::value_type>;
};

using std::begin;
using std::end;

/// Ranges that can be iterated over more than once without changing, and whose elements are of another type
/// (those of a path are paths).
template <typename T>
concept Range = requires(const T& value) {
  { begin(value) } -> std::forward_iterator;
  { begin(value) != end(value) } -> std::convertible_to<bool>;
}
&&!std::is_same_v<std::remove_cvref_t<decltype(*begin(std::declval<const T&>()))>, T>;

/// A view that only its owner can iterate over, std::views::filter: a copy is iterated over instead.
template <typename T>
concept View = std::ranges::enable_view<T> && std::copyable<T> && requires(T& value) {
  { begin(value) } -> std::forward_iterator;
  { begin(value) != end(value) } -> std::convertible_to<bool>;
};

template <typename T>
concept Map = requires {
  typename T::key_type;
  typename T::mapped_type;
};

/// std::stack, std::queue, std::priority_queue.
template <typename T>
concept Adaptor = requires(T& value) {
  typename T::container_type;
  value.empty();
  value.pop();
}
&&!std::is_final_v<T>;

template <typename Adapted>
struct AdaptorAccess : Adapted {
  static const typename Adapted::container_type& container(const Adapted& adaptor) {
    return adaptor.*(&AdaptorAccess::c);
  }
};

template <typename T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};

/// A class with its own operator<<, not one that merely converts to something printable.
template <typename T>
concept Streamable = !std::is_convertible_v<const T&, bool> && requires(std::ostream & out, const T& value) {
  { out << value } -> std::convertible_to<std::ostream&>;
};

}  // namespace lectern::values
