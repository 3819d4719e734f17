#pragma once

#include <bit>
#include <cstddef>

namespace lectern {

/// Block sizes, in units: 1 to 16, then eight steps per doubling (18, 20, … 32, 36, …). A freed block serves
/// every later request of its class, and a request wastes at most an eighth.
constexpr std::size_t size_class(std::size_t units) {
  const auto shift = units <= 16 ? std::size_t{0} : static_cast<std::size_t>(std::bit_width(units - 1)) - 4;
  return shift * 8 + ((units - 1) >> shift) + 1;
}

/// The size of a class: size_class(class_units(i)) == i.
constexpr std::size_t class_units(std::size_t size_class) {
  const std::size_t shift = size_class <= 16 ? 0 : (size_class - 9) / 8;
  return (size_class - shift * 8) << shift;
}

}  // namespace lectern
