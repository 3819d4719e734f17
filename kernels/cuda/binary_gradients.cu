#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/gradient_kernels.h"

namespace lectern::kernels::cuda {
namespace {

template <typename Functor>
void apply_side(Side side, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                std::span<const Array> in) {
  if (side == Side::a) {
    apply_gradient_functor<BinaryGradient<Functor, Side::a>>(common, sizes, out, in);
  } else {
    apply_gradient_functor<BinaryGradient<Functor, Side::b>>(common, sizes, out, in);
  }
}

}  // namespace

void apply_gradient(Binary operation, Side side, Dtype common, std::span<const std::int64_t> sizes,
                    const Array& out, std::span<const Array> in) {
  switch (operation) {
#define LECTERN_ROW(name, Functor, rule) \
  case Binary::name:                     \
    return apply_side<Functor>(side, common, sizes, out, in);
    LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  }
}

}  // namespace lectern::kernels::cuda
