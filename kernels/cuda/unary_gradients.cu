#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/gradient_kernels.h"

namespace lectern::kernels::cuda {

void apply_gradient(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                    std::span<const Array> in) {
  switch (operation) {
#define LECTERN_ROW(name, Functor, rule) \
  case Unary::name:                      \
    return apply_gradient_functor<UnaryGradient<Functor>>(common, sizes, out, in);
    LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
}

}  // namespace lectern::kernels::cuda
