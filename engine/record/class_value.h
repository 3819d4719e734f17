#pragma once

#include <cstddef>
#include <exception>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "record/aggregate.h"
#include "record/class_kinds.h"
#include "record/pointer_value.h"
#include "record/scalar_value.h"

/// Objects of classes. Library types are recognised by their members, so that this file stays cheap to
/// include: a new one is a concept (class_kinds.h), a function that writes it, and a line of write_class.
namespace lectern {

template <typename T>
void write_value(ValueWriter& out, const T& value);

namespace values {

/// `count` units of `numerator` / `denominator` seconds. Count: double or std::int64_t.
template <typename Count>
void write_duration(ValueWriter& out, std::string_view type, Count count, long numerator, long denominator);

/// An object as the text that `print` writes; keeps streams out of this header.
void write_streamed(ValueWriter& out, std::string_view type, void (*print)(std::ostream&, const void*),
                    const void* object);

/// "2026-01-31"
void write_date(ValueWriter& out, std::string_view type, int year, unsigned month, unsigned day);
/// "main.cpp:12", without folders, which differ from machine to machine.
void write_place(ValueWriter& out, std::string_view type, std::string_view file, std::uint64_t line);

/// A part of the value being written: an object with an address, so that pointers to it can be recognised.
template <typename T>
void write_part(ValueWriter& out, const T& part) {
  if constexpr (std::is_class_v<T>) {
    if (out.seen(std::addressof(part), type_name<T>())) return;
  }
  write_value(out, part);
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
std::size_t range_size(T& range) {
  if constexpr (std::is_array_v<T>) {
    return std::extent_v<T>;
  } else if constexpr (requires { static_cast<std::size_t>(range.size()); }) {
    return static_cast<std::size_t>(range.size());
  } else {
    return ValueWriter::kUnknownSize;
  }
}

/// A const range, or a copy of a view.
template <typename T>
void write_range(ValueWriter& out, T& range, std::string_view type) {
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

template <typename Function, typename Class>
Class* class_of_fields(Function (*function)(Class*));

/// A class of a lecture's own files: `lectern instrument` gives it a function that knows its fields.
template <typename T>
concept NamesFields = requires {
  { class_of_fields(&T::lectern_fields) } -> std::same_as<T*>;  // its own function, not a base's
};

/// One without a name, whose function cannot say whose it is.
template <typename T>
concept NamesFieldsUnnamed = requires {
  T::lectern_unnamed_fields();
};

/// Receives the fields from that function, and base classes before them.
class FieldWriter {
 public:
  explicit FieldWriter(ValueWriter& out) : out_(out) {}

  template <typename T>
  void field(std::string_view name, const T& value) const {
    out_.field(name);
    if constexpr (std::is_unbounded_array_v<T>) {
      out_.opaque(type_name<T>());
    } else {
      write_part(out_, value);
    }
  }
  /// An anonymous union: which member is active is not known.
  void anonymous_union() const {
    out_.field("union");
    out_.opaque("anonymous union");
  }
  void unknown_members() const {
    out_.field("\u2026");
    out_.cut();
  }
  /// Its fields as if they were the derived class's own. An interface has but the pointer to its functions.
  template <typename Base>
  void base(const Base& object) const {
    if (was_written(std::addressof(object), type_name<Base>())) return;
    constexpr bool is_interface = std::is_polymorphic_v<Base> && sizeof(Base) == sizeof(void*);
    if constexpr (NamesFields<Base>) {
      Base::lectern_fields(nullptr)(*this, object);
    } else if constexpr (!std::is_empty_v<Base> && !is_interface) {
      out_.field(type_name<Base>());
      write_value(out_, object);
    }
  }

 private:
  /// A virtual base is reached through each class that has it.
  bool was_written(const void* base, std::string_view type) const {
    for (const auto& written : bases_) {
      if (written == std::pair(base, type)) return true;
    }
    bases_.emplace_back(base, type);
    return false;
  }

  ValueWriter& out_;
  mutable std::vector<std::pair<const void*, std::string_view>> bases_ = {};
};

/// A class of other files, whose fields have no names here.
template <typename T>
void write_aggregate(ValueWriter& out, const T& object) {
  constexpr std::size_t kCount = aggregates::count<T>();
  out.begin_items(type_name<T>(), kCount);
  aggregates::for_each_field<kCount>(object, [&](const auto& field) { write_part(out, field); });
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

/// A value whose type does not follow from where it is written: always with its type.
template <typename T>
void write_with_type(ValueWriter& out, const T& value) {
  constexpr bool kBare = (std::is_arithmetic_v<T> && !Character<T>) || std::is_pointer_v<T> || is_string<T>;
  if constexpr (kBare) {
    out.begin_typed(type_name<T>());
    write_value(out, value);
    out.end();
  } else {
    write_part(out, value);
  }
}

template <typename T>
void write_variant(ValueWriter& out, const T& variant) {
  if (variant.valueless_by_exception()) return out.text(type_name<T>(), "valueless");
  out.begin_pointer(type_name<T>());
  visit([&out](const auto& alternative) { write_with_type(out, alternative); }, variant);
  out.end();
}

template <typename Held, typename T>
bool write_held(ValueWriter& out, const T& any) {
  const Held* const held = any_cast<Held>(&any);  // found by argument-dependent lookup
  if (held != nullptr) write_with_type(out, *held);
  return held != nullptr;
}

/// The type of what it holds, and the value if its type is a common one.
template <typename T>
void write_any(ValueWriter& out, const T& any) {
  const auto is_one_of = [&]<typename... Held>(std::type_identity<std::tuple<Held...>> /*types*/) {
    return (write_held<Held>(out, any) || ...);
  };
  using Common = std::tuple<bool, char, int, long, std::size_t, float, double, const char*, std::string>;
  out.begin_pointer(type_name<T>());
  if (!any.has_value()) {
    out.null();
  } else if (!is_one_of(std::type_identity<Common>())) {
    out.opaque(type_name_of(any.type()));
  }
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
std::string_view ordering_name(T order) {
  if (order < 0) return "less";
  if (order > 0) return "greater";
  if (order != 0) return "unordered";
  return requires {
    T::equal;
  }
  ? "equal" : "equivalent";
}

template <typename T>
void write_since(ValueWriter& out, std::string_view type, const T& duration) {
  using Count = std::conditional_t<std::is_integral_v<typename T::rep>, std::int64_t, double>;
  write_duration(out, type, static_cast<Count>(duration.count()), T::period::num, T::period::den);
}

template <typename T>
void write_stream_text(ValueWriter& out, const T& object) {
  write_streamed(
      out, type_name<T>(), [](std::ostream& stream, const void* p) { stream << *static_cast<const T*>(p); },
      std::addressof(object));
}

/// A class outside the library, or one that this file does not know.
template <typename T>
void write_own_class(ValueWriter& out, const T& object) {
  if constexpr (Streamable<T>) {
    write_stream_text(out, object);
  } else if constexpr (NamesFields<T>) {
    out.begin_fields(type_name<T>());
    T::lectern_fields(nullptr)(FieldWriter(out), object);
    out.end();
  } else if constexpr (NamesFieldsUnnamed<T>) {
    out.begin_fields(type_name<T>());
    T::lectern_unnamed_fields()(FieldWriter(out), object);
    out.end();
  } else if constexpr (std::is_base_of_v<std::exception, T>) {
    out.text(type_name_of(typeid(object)), object.what());
  } else if constexpr (aggregates::count<T>() > 0) {
    write_aggregate(out, object);
  } else if constexpr (std::is_polymorphic_v<T>) {
    out.opaque(type_name_of(typeid(object)));  // what an interface leads to
  } else {
    out.opaque(type_name<T>());
  }
}

/// Which member is active is not known: none is read.
template <typename T>
void write_union(ValueWriter& out, const T& object) {
  if constexpr (Streamable<T>) {
    write_stream_text(out, object);
  } else {
    out.opaque("union " + std::string(type_name<T>()));
  }
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
  } else if constexpr (AnyLike<T>) {
    write_any(out, object);
  } else if constexpr (BitSet<T>) {
    out.text(type_name<T>(), object.to_string());
  } else if constexpr (Duration<T>) {
    write_since(out, type_name<T>(), object);
  } else if constexpr (TimePoint<T>) {
    write_since(out, type_name<T>(), object.time_since_epoch());
  } else if constexpr (Date<T>) {
    write_date(out, type_name<T>(), static_cast<int>(object.year()), static_cast<unsigned>(object.month()),
               static_cast<unsigned>(object.day()));
  } else if constexpr (Ordering<T>) {
    out.text(type_name<T>(), ordering_name(object));
  } else if constexpr (SourceLocation<T>) {
    write_place(out, type_name<T>(), object.file_name(), object.line());
  } else if constexpr (Complex<T>) {
    write_complex(out, object);
  } else if constexpr (Range<T>) {
    write_range(out, object, type_name<T>());
  } else if constexpr (View<T>) {
    T view = object;
    write_range(out, view, type_name<T>());
  } else if constexpr (Adaptor<T>) {
    write_range(out, AdaptorAccess<T>::container(object), type_name<T>());
  } else if constexpr (TupleLike<T>) {
    write_tuple(out, object);
  } else {
    write_own_class(out, object);
  }
}

}  // namespace values
}  // namespace lectern
