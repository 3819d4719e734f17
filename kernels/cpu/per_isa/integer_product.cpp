#include "kernels/cpu/integer_product.h"

#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu::LECTERN_ISA {
namespace {

void add(std::int64_t* c, const std::int64_t* a, const std::int64_t* b, std::int64_t rows,
         std::int64_t columns, std::int64_t inner) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < inner; ++k) {
      const auto factor = static_cast<std::uint64_t>(a[i * inner + k]);
      LECTERN_INDEPENDENT
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::uint64_t product = factor * static_cast<std::uint64_t>(b[k * columns + j]);
        c[i * columns + j] =
            static_cast<std::int64_t>(static_cast<std::uint64_t>(c[i * columns + j]) + product);
      }
    }
  }
}

}  // namespace

constinit const IntegerProduct integer_product = {add};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
