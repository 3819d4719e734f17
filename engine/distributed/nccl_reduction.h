#pragma once

#include <string_view>

#include "distributed/nccl_library.h"
#include "distributed/reduction.h"

namespace lectern::nccl {

/// How NCCL is asked for a reduction.
struct Reduction {
  Type type = Type::uint8;
  Op op = Op::sum;
};

/// Of bools sum and max are the max of bytes, product and min the min. A TensorError of `operation` for
/// dtypes that NCCL does not reduce: int16 and those of 8 bits that float.
Reduction reduction_of(std::string_view operation, const distributed::Reduction& reduction);

}  // namespace lectern::nccl
