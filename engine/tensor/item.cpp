#include "tensor/item.h"

#include <cmath>
#include <ostream>
#include <string>

namespace lectern {

bool TensorItem::is_whole() const {
  return !is_real() || std::trunc(to_double()) == to_double();
}

double TensorItem::to_exact_double() const {
  const double real = to_double();
  constexpr double kTooLarge = 9223372036854775808.;  // 2^63
  if (is_integer() && (real >= kTooLarge || static_cast<std::int64_t>(real) != to_int64()))
    throw TensorError("item", "the element", "exact as a double", to_string(*this));
  return real;
}

std::partial_ordering TensorItem::compare(const Scalar& other) const {
  if (is_real() || other.is_real()) return to_double() <=> other.to_double();
  return to_int64() <=> other.to_int64();
}

void TensorItem::refuse(bool is_signed, std::size_t bits) const {
  throw TensorError(
      "item", "the element",
      "a whole number in the range of " + std::string(is_signed ? "int" : "uint") + std::to_string(bits),
      to_string(*this));
}

std::ostream& operator<<(std::ostream& out, const TensorItem& item) {
  if (item.is_boolean()) return out << item.to_bool();
  if (item.is_integer()) return out << item.to_int64();
  return out << item.to_double();
}

}  // namespace lectern
