#pragma once

#include <cstdint>

#include "kernels/cpu/isa.h"

namespace lectern::kernels::cpu {

struct IntegerProduct {
  /// c += a b modulo 2^64, of contiguous matrices.
  void (*add)(std::int64_t* c, const std::int64_t* a, const std::int64_t* b, std::int64_t rows,
              std::int64_t columns, std::int64_t inner);
};

LECTERN_PER_ISA(IntegerProduct, integer_product)

}  // namespace lectern::kernels::cpu
