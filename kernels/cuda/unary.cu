#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/elementwise_functors.h"

namespace lectern::kernels::cuda {

void apply(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a) {
  switch (operation) {
#define LECTERN_ROW(name, Functor, rule) \
  case Unary::name:                      \
    return apply_functor<Functor>(common, sizes, out, a);
    LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
}

}  // namespace lectern::kernels::cuda
