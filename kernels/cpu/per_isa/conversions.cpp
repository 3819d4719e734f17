#include "kernels/cpu/conversions.h"

#include "kernels/convert_number.h"
#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

template <typename From, typename To>
void convert(void* to, const void* from, std::int64_t count) {
  auto* y = static_cast<To*>(to);
  const auto* x = static_cast<const From*>(from);
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = convert_number<To>(x[i]);
}

template <typename From, typename To>
constexpr Conversion conversion() {
  if constexpr (std::same_as<From, To>) {
    return nullptr;
  } else {
    return convert<From, To>;
  }
}

consteval Conversions all() {
  Conversions result{};
  for (int from = 0; from < kDtypes; ++from) {
    for (int to = 0; to < kDtypes; ++to) {
      dispatch(static_cast<Dtype>(from), [&](auto from_tag) {
        dispatch(static_cast<Dtype>(to), [&](auto to_tag) {
          result.table[from][to] =
              conversion<typename decltype(from_tag)::type, typename decltype(to_tag)::type>();
        });
      });
    }
  }
  return result;
}

}  // namespace

constinit const Conversions conversions = all();

}  // namespace lectern::kernels::cpu::LECTERN_ISA
