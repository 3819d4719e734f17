#pragma once

#include <cstdint>
#include <string>

#include "base/dtype.h"
#include "kernels/fused_operation.h"

// What types and functors are called in the source of fused kernels.

namespace lectern::kernels::cuda {

/// "BFloat16"
std::string type_name(Dtype dtype);
/// "Compute<BFloat16>"
std::string compute_type_name(Dtype dtype);
/// "FunctorOf<UnaryGradient<Tanh>, float>", "Sum<Compute<float>>"; not of a conversion.
std::string functor_name(const FusedOperation& operation);

/// Whether the reduction needs a first pass for its pivot (kernels/reduction_functors.h).
bool has_pivot(const FusedOperation& reduction);
std::int64_t state_bytes(const FusedOperation& reduction);

}  // namespace lectern::kernels::cuda
