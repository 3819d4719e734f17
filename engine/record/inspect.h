#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "record/aggregate.h"
#include "record/claim.h"
#include "record/enumerators.h"
#include "record/probe.h"
#include "record/recorder.h"
#include "record/type_name.h"
#include "record/value_writer.h"

/// Any C++ object as a value of a trace. What a type is shown as is decided by what it can do, in the order
/// of write_value below; a type of one's own joins by to_value (value_writer.h). Library types are known by
/// their members, not by their headers, so that this file stays cheap to include.
namespace lectern {

template <typename T>
void write_value(ValueWriter& out, const T& value);

/// The whole text of one variable: an object with the value's type.
template <typename T>
std::string value_text(const T& value, std::size_t budget = ValueWriter::kDefaultBudget);

namespace values {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

// What write_value leaves to inspect.cpp.
void write_wide(ValueWriter& out, std::u16string_view text);
void write_wide(ValueWriter& out, std::u32string_view text);
void write_character(ValueWriter& out, char32_t code_point);
void write_int128(ValueWriter& out, std::string_view type, bool negative, UInt128 magnitude);
void write_duration(ValueWriter& out, std::string_view type, double count, long numerator, long denominator);
std::string with_type(std::string json, std::string_view type);
std::string thrown_text(std::string_view type);

/// Runs an operator<< without this header's having to know streams.
class TextStream {
 public:
  TextStream();
  ~TextStream();
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;
  std::ostream& stream();
  std::string text() const;

 private:
  struct Implementation;
  Implementation* implementation_;
};

/// The names of an aggregate's fields, one after the other.
class FieldNames {
 public:
  /// Knows names only if there are `count` of them.
  FieldNames(std::string_view type, std::size_t count);
  bool known() const { return !rest_.empty(); }
  std::string_view next();

 private:
  std::string_view rest_;
};

template <typename T>
concept HasToValue = requires(ValueWriter& out, const T& value) {
  to_value(out, value);
};

template <typename T>
concept Character = std::is_same_v<T, char> || std::is_same_v<T, wchar_t> || std::is_same_v<T, char8_t> ||
    std::is_same_v<T, char16_t> || std::is_same_v<T, char32_t>;

template <typename T>
inline constexpr bool is_string = false;
template <Character C, typename Traits, typename Allocator>
inline constexpr bool is_string<std::basic_string<C, Traits, Allocator>> = true;
template <Character C, typename Traits>
inline constexpr bool is_string<std::basic_string_view<C, Traits>> = true;

template <typename T>
concept Complete = requires {
  sizeof(T);
};

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

using std::begin;
using std::end;

/// Something that can be walked more than once without changing it, and that is not made of itself (a path
/// is).
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

/// A part of what is being written: an object that stays where it is, so that another way to it can be shown.
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
std::size_t size_of(const T& range) {
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
  const std::size_t size = size_of(range);
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
  FieldNames names(type_name<T>(), kCount);
  if (names.known()) {
    out.begin_fields(type_name<T>());
  } else {
    out.begin_items(type_name<T>(), kCount);
  }
  aggregates::for_each_field<kCount>(object, [&](const auto& field) {
    if (names.known()) out.field(names.next());
    write_part(out, field);
  });
  out.end();
}

template <typename String>
void write_string(ValueWriter& out, const String& text) {
  using C = typename String::value_type;
  if constexpr (std::is_same_v<C, char>) {
    out.string(std::string_view(text.data(), text.size()));
  } else if constexpr (std::is_same_v<C, char8_t>) {
    out.string(std::string_view(reinterpret_cast<const char*>(text.data()), text.size()));
  } else if constexpr (sizeof(C) == 2) {
    write_wide(out, std::u16string_view(reinterpret_cast<const char16_t*>(text.data()), text.size()));
  } else {
    write_wide(out, std::u32string_view(reinterpret_cast<const char32_t*>(text.data()), text.size()));
  }
}

/// A pointer that is not followed, unless its target stands in this value already.
template <typename T>
void write_pointer(ValueWriter& out, T* pointer, std::string_view type) {
  if constexpr (Character<std::remove_cv_t<T>> && !std::is_volatile_v<T>) {
    if (pointer != nullptr) return write_string(out, std::basic_string_view<std::remove_cv_t<T>>(pointer));
  }
  bool known = false;
  if constexpr (std::is_class_v<T>) {
    if constexpr (Complete<T>) known = out.has_object(pointer, type_name<T>());
  }
  if (pointer != nullptr && !known) return out.opaque(type);
  out.begin_pointer(type);
  if (pointer == nullptr) {
    out.null();
  } else if constexpr (std::is_class_v<T>) {
    if constexpr (Complete<T>) out.known(pointer, type_name<T>());
  }
  out.end();
}

template <typename T>
void write_scalar(ValueWriter& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.boolean(value);
  } else if constexpr (std::is_same_v<T, char>) {
    out.string(std::string_view(&value, 1));
  } else if constexpr (Character<T>) {
    write_character(out, static_cast<char32_t>(value));
  } else if constexpr (std::is_same_v<T, Int128>) {
    const auto bits = static_cast<UInt128>(value);
    write_int128(out, type_name<T>(), value < 0, value < 0 ? -bits : bits);
  } else if constexpr (std::is_same_v<T, UInt128>) {
    write_int128(out, type_name<T>(), false, value);
  } else if constexpr (std::is_same_v<T, float>) {
    out.real(value);
  } else if constexpr (!std::is_integral_v<T>) {
    out.real(static_cast<double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    out.integer(value);
  } else {
    out.unsigned_integer(value);
  }
}

template <typename T>
void write_enum(ValueWriter& out, T value) {
  const auto number = static_cast<std::underlying_type_t<T>>(value);
  if (const std::string_view name = enumerators::name(value); !name.empty()) {
    out.enumerator(type_name<T>(), name, static_cast<std::int64_t>(number));
  } else {
    out.begin_typed(type_name<T>());
    write_scalar(out, +number);
    out.end();
  }
}

template <typename C, std::size_t N>
void write_string_array(ValueWriter& out, const C (&text)[N]) {
  std::size_t length = 0;
  while (length < N && text[length] != C{}) ++length;
  write_string(out, std::basic_string_view<C>(text, length));
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
    write_duration(out, type_name<T>(), static_cast<double>(object.count()), T::period::num, T::period::den);
  } else if constexpr (Range<T>) {
    write_range(out, object, type_name<T>());
  } else if constexpr (Adaptor<T>) {
    write_range(out, AdaptorAccess<T>::container(object), type_name<T>());
  } else if constexpr (TupleLike<T>) {
    write_tuple(out, object);
  } else if constexpr (aggregates::count<T>() > 0) {
    write_aggregate(out, object);
  } else if constexpr (Streamable<T>) {
    TextStream stream;
    stream.stream() << object;
    out.text(type_name<T>(), stream.text());
  } else {
    out.opaque(type_name<T>());
  }
}

}  // namespace values

template <typename T>
void write_value(ValueWriter& out, const T& value) {
  if (out.skipping()) return;  // deep or endless structures end here
  using Plain = std::remove_cv_t<T>;
  if constexpr (values::HasToValue<Plain>) {
    to_value(out, value);
  } else if constexpr (std::is_same_v<Plain, std::nullptr_t>) {
    out.null();
  } else if constexpr (std::is_enum_v<Plain>) {
    values::write_enum(out, static_cast<Plain>(value));
  } else if constexpr (std::is_arithmetic_v<Plain> || std::is_same_v<Plain, values::Int128> ||
                       std::is_same_v<Plain, values::UInt128>) {
    values::write_scalar(out, static_cast<Plain>(value));
  } else if constexpr (std::is_array_v<Plain>) {
    if constexpr (values::Character<std::remove_cv_t<std::remove_extent_t<Plain>>>) {
      values::write_string_array(out, value);
    } else {
      values::write_range(out, value, type_name<Plain>());
    }
  } else if constexpr (std::is_pointer_v<Plain>) {
    values::write_pointer(out, static_cast<Plain>(value), type_name<Plain>());
  } else if constexpr (values::is_string<Plain>) {
    values::write_string(out, value);
  } else if constexpr (std::is_class_v<Plain> && !std::is_volatile_v<T>) {
    values::write_class(out, value);
  } else {
    out.opaque(type_name<Plain>());
  }
}

template <typename T>
std::string value_text(const T& value, std::size_t budget) {
  std::string json;
  try {
    const std::size_t for_type = budget == ValueWriter::kUnlimited ? 0 : type_name<T>().size() + 24;
    ValueWriter out(json, budget - std::min(budget, for_type));
    values::write_part(out, value);
  } catch (
      ...) {  // an operator<< or a to_value of the lecture's: showing must not change what the program does
    json = values::thrown_text(type_name<T>());
  }
  return values::with_type(std::move(json), type_name<T>());
}

namespace probe {

template <typename T>
constexpr const Inspection& Inspection::show(const char* text, const T& value) const {
  if (frame_ != nullptr) record::add_variable(text, value_text(value));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::show_full(const char* text, const T& value) const {
  if (frame_ != nullptr) record::add_variable(text, value_text(value, ValueWriter::kUnlimited));
  return *this;
}

}  // namespace probe
}  // namespace lectern
