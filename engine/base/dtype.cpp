#include "base/dtype.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "base/tensor_error.h"

namespace lectern {
namespace {

constexpr std::string_view kNames[kDtypes] = {
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2",
    "int64",   "int32",   "int16",   "int8",     "uint8",         "bool",
};

std::optional<Dtype> promoted(std::optional<Dtype> a, Dtype b) {
  return a ? promote_types(*a, b) : b;
}

/// `first`, unless `second` has a higher category.
std::optional<Dtype> combined(std::optional<Dtype> first, std::optional<Dtype> second) {
  if (!first || !second) return first ? first : second;
  return category(*first) >= category(*second) ? *first : promote_types(*first, *second);
}

}  // namespace

std::string_view name(Dtype dtype) {
  return kNames[static_cast<int>(dtype)];
}

std::ostream& operator<<(std::ostream& out, Dtype dtype) {
  return out << name(dtype);
}

std::optional<Dtype> dtype_from_name(std::string_view text) {
  const auto* found = std::ranges::find(kNames, text);
  if (found == std::end(kNames)) return {};
  return static_cast<Dtype>(found - kNames);
}

Dtype promote_types(Dtype a, Dtype b) {
  if (a == b) return a;
  if (is_float8(a) || is_float8(b)) {
    throw TensorError("promote_types",
                      std::string(name(a)).append(" with ").append(name(b)) +
                          ": a float8 type promotes only with itself; convert one of the two first");
  }
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (element_size(a) != element_size(b)) return element_size(a) > element_size(b) ? a : b;
  // Same size: neither holds the other's values.
  return is_floating_point(a) ? float32 : int16;
}

ResultType& ResultType::tensor(Dtype dtype, std::int64_t dimensions) {
  auto& operands = dimensions > 0 ? dimensioned_ : zero_dimensional_;
  operands = promoted(operands, dtype);
  return *this;
}

ResultType& ResultType::scalar(Dtype dtype) {
  scalar_ = promoted(scalar_, is_floating_point(dtype) ? float32 : dtype);
  return *this;
}

Dtype ResultType::dtype() const {
  const auto result = combined(dimensioned_, combined(zero_dimensional_, scalar_));
  if (!result) throw TensorError("result_type", "there is no operand");
  return *result;
}

}  // namespace lectern
