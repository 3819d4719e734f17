#pragma once

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "record/aggregate.h"
#include "record/scalar_value.h"

/// Objects of classes. Library types are known by their members, not by their headers, so that this file
/// stays cheap to include: a further one is a concept, a function that writes it, and a line of write_class.
namespace lectern {

template <typename T>
void write_value(ValueWriter& out, const T& value);

namespace values {

/// `count` units of `numerator` / `denominator` seconds. Count: double or std::int64_t.
template <typename Count>
void write_duration(ValueWriter& out, std::string_view type, Count count, long numerator, long denominator);

/// An object as the text that `print` writes, so that this header need not include streams.
void write_streamed(ValueWriter& out, std::string_view type, void (*print)(std::ostream&, const void*),
                    const void* object);

/// The names of an aggregate's fields, separated by spaces; empty unless `count` of them are known.
std::string_view field_names(std::string_view type, std::size_t count);
/// Removes and returns the first of them.
std::string_view next_name(std::string_view& names);

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

/// std::complex.
template <typename T>
concept Complex = requires(const T& value) {
  typename T::value_type;
  { value.real() } -> std::same_as<typename T::value_type>;
  { value.imag() } -> std::same_as<typename T::value_type>;
};

using std::begin;
using std::end;

/// What can be iterated over more than once without changing it, and whose elements are of another type
/// (those of a path are paths).
template <typename T>
concept Range = requires(const T& value) {
  { begin(value) } -> std::forward_iterator;
  { begin(value) != end(value) } -> std::convertible_to<bool>;
}
&&!std::is_same_v<std::remove_cvref_t<decltype(*begin(std::declval<const T&>()))>, T>;

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

/// A part of the value being written: an object with an address, so that pointers to it can be recognised.
template <typename T>
void write_part(ValueWriter& out, const T& part) {
  if constexpr (std::is_class_v<T>) {
    if (out.seen(std::addressof(part), type_name<T>())) return;
  }
  write_value(out, part);
}

/// The target of a pointer that is followed, whatever its type.
template <typename T>
void write_target(ValueWriter& out, const T& target) {
  if (!out.seen(std::addressof(target), type_name<T>())) write_value(out, target);
}

template <typename T>
void write_temporary(ValueWriter& out, const T& value) {
  out.begin_temporaries();
  write_value(out, value);
  out.end_temporaries();
}

template <typename Reference, typename T>
void write_element(ValueWriter& out, const T& element) {
  if constexpr (std::is_lvalue_reference_v<Reference>) {
    write_part(out, element);
  } else {
    write_temporary(out, element);
  }
}

template <typename T>
std::size_t range_size(const T& range) {
  if constexpr (std::is_array_v<T>) {
    return std::extent_v<T>;
  } else if constexpr (requires { static_cast<std::size_t>(range.size()); }) {
    return static_cast<std::size_t>(range.size());
  } else {
    return ValueWriter::kUnknownSize;
  }
}

template <typename T>
void write_range(ValueWriter& out, const T& range, std::string_view type) {
  constexpr std::size_t kMostOfUnknown = 10'000;  // it may have no end
  const std::size_t size = range_size(range);
  std::size_t count = 0;
  if constexpr (Map<T>) {
    out.begin_entries(type, size);
  } else {
    out.begin_items(type, size);
  }
  auto it = begin(range);
  const auto last = end(range);
  for (; it != last && out.room() && (size != ValueWriter::kUnknownSize || count < kMostOfUnknown);
       ++it, ++count) {
    using Reference = decltype(*it);
    if constexpr (Map<T>) {
      const auto& entry = *it;
      write_element<Reference>(out, entry.first);
      write_element<Reference>(out, entry.second);
    } else {
      write_element<Reference>(out, static_cast<const std::remove_cvref_t<Reference>&>(*it));
    }
  }
  if (size == ValueWriter::kUnknownSize && it != last) out.cut();
  out.end();
}

template <typename T>
void write_tuple(ValueWriter& out, const T& tuple) {
  constexpr std::size_t kSize = std::tuple_size<T>::value;
  out.begin_items(type_name<T>(), kSize);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (write_element<decltype(get<I>(tuple))>(out, get<I>(tuple)), ...);
  }
  (std::make_index_sequence<kSize>{});
  out.end();
}

template <typename T>
void write_aggregate(ValueWriter& out, const T& object) {
  constexpr std::size_t kCount = aggregates::count<T>();
  std::string_view names = field_names(type_name<T>(), kCount);
  const bool named = !names.empty();
  if (named) {
    out.begin_fields(type_name<T>());
  } else {
    out.begin_items(type_name<T>(), kCount);
  }
  aggregates::for_each_field<kCount>(object, [&](const auto& field) {
    if (named) out.field(next_name(names));
    write_part(out, field);
  });
  out.end();
}

template <typename T>
void write_handle(ValueWriter& out, const T& handle, bool empty) {
  out.begin_pointer(type_name<T>());
  if (empty) {
    out.null();
  } else if constexpr (WeakPointer<T>) {
    write_target(out, *handle.lock());
  } else {
    write_target(out, *handle);
  }
  out.end();
}

template <typename T>
void write_smart_pointer(ValueWriter& out, const T& pointer) {
  if constexpr (requires { *pointer; } && Complete<typename T::element_type>) {
    write_handle(out, pointer, pointer.get() == nullptr);
  } else {
    write_pointer(out, pointer.get(), type_name<T>());
  }
}

template <typename T>
void write_variant(ValueWriter& out, const T& variant) {
  if (variant.valueless_by_exception()) return out.opaque(type_name<T>());
  out.begin_pointer(type_name<T>());
  visit(
      [&out]<typename Alternative>(const Alternative& alternative) {
        if constexpr (std::is_arithmetic_v<Alternative> || is_string<Alternative>) {
          out.begin_typed(type_name<Alternative>());
          write_value(out, alternative);
          out.end();
        } else {
          write_part(out, alternative);
        }
      },
      variant);
  out.end();
}

template <typename T>
void write_complex(ValueWriter& out, const T& number) {
  out.begin_fields(type_name<T>());
  out.field("real");
  write_temporary(out, number.real());
  out.field("imag");
  write_temporary(out, number.imag());
  out.end();
}

template <typename T>
void write_class(ValueWriter& out, const T& object) {
  if constexpr (OptionalLike<T>) {
    write_handle(out, object, !object.has_value());
  } else if constexpr (WeakPointer<T>) {
    write_handle(out, object, object.expired());
  } else if constexpr (SmartPointer<T>) {
    write_smart_pointer(out, object);
  } else if constexpr (ReferenceWrapper<T>) {
    write_part(out, object.get());
  } else if constexpr (BitReference<T>) {
    out.boolean(static_cast<bool>(object));
  } else if constexpr (Atomic<T>) {
    write_temporary(out, object.load());
  } else if constexpr (VariantLike<T>) {
    write_variant(out, object);
  } else if constexpr (BitSet<T>) {
    out.text(type_name<T>(), object.to_string());
  } else if constexpr (Duration<T>) {
    using Count = std::conditional_t<std::is_integral_v<typename T::rep>, std::int64_t, double>;
    write_duration(out, type_name<T>(), static_cast<Count>(object.count()), T::period::num, T::period::den);
  } else if constexpr (Complex<T>) {
    write_complex(out, object);
  } else if constexpr (Range<T>) {
    write_range(out, object, type_name<T>());
  } else if constexpr (Adaptor<T>) {
    write_range(out, AdaptorAccess<T>::container(object), type_name<T>());
  } else if constexpr (TupleLike<T>) {
    write_tuple(out, object);
  } else if constexpr (aggregates::count<T>() > 0) {
    write_aggregate(out, object);
  } else if constexpr (Streamable<T>) {
    write_streamed(
        out, type_name<T>(), [](std::ostream& stream, const void* p) { stream << *static_cast<const T*>(p); },
        std::addressof(object));
  } else {
    out.opaque(type_name<T>());
  }
}

}  // namespace values
}  // namespace lectern
