#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "record/function_name.h"
#include "record/scalar_value.h"
#include "record/type_name.h"
#include "record/value_writer.h"

/// A raw pointer, shown as what it points to: an object, the characters of a C string, or the name of a
/// function. Where the target cannot be read or has no type, the address is written, which differs from run
/// to run and is never compared.
namespace lectern {

template <typename T>
void write_value(ValueWriter& out, const T& value);

namespace values {

/// Whether that many bytes can be read at the pointer.
bool readable(const void* address, std::size_t bytes);

/// How many characters of `size` bytes precede the terminating one; npos if there is none that can be read,
/// or none among the first million bytes.
std::size_t readable_length(const void* characters, std::size_t size);

template <typename T>
concept Complete = requires {
  sizeof(T);
};

/// The target of a pointer, whatever its type.
template <typename T>
void write_target(ValueWriter& out, const T& target) {
  if (!out.seen(std::addressof(target), type_name<T>())) write_value(out, target);
}

template <typename T>
void write_pointer(ValueWriter& out, T* pointer, std::string_view type) {
  using Plain = std::remove_cv_t<T>;
  if (pointer == nullptr) {
    out.begin_pointer(type);
    out.null();
    return out.end();
  }
  if constexpr (Character<Plain> && !std::is_volatile_v<T>) {
    if (const std::size_t length = readable_length(pointer, sizeof(T)); length != std::string_view::npos)
      return write_string(out, std::basic_string_view<Plain>(pointer, length));
  } else if constexpr (std::is_object_v<T> && Complete<T>) {
    if (readable(const_cast<const Plain*>(pointer), sizeof(T))) {
      out.begin_pointer(type);
      write_target(out, *pointer);
      return out.end();
    }
  } else if constexpr (std::is_function_v<T>) {
    const std::string_view name = function_name(reinterpret_cast<const void*>(pointer));
    if (!name.empty()) return out.text(type, name);
  }
  out.address(type, reinterpret_cast<std::uintptr_t>(pointer));
}

}  // namespace values
}  // namespace lectern
