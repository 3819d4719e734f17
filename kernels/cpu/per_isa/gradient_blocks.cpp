#include "kernels/cpu/gradient_blocks.h"

#include "kernels/cpu/block_loops.h"
#include "kernels/cpu/isa.h"
#include "kernels/elementwise_gradients.h"

namespace lectern::kernels::cpu::LECTERN_ISA {

constinit const GradientBlocks gradient_blocks = {
    {
#define LECTERN_ROW(name, Functor, rule, autocast) \
  {block<UnaryGradient<Functor>, float>(), block<UnaryGradient<Functor>, double>()},
        LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
    },
    {
#define LECTERN_ROW(name, Functor, rule, autocast)                                                        \
  {{block<BinaryGradient<Functor, Side::a>, float>(), block<BinaryGradient<Functor, Side::a>, double>()}, \
   {block<BinaryGradient<Functor, Side::b>, float>(), block<BinaryGradient<Functor, Side::b>, double>()}},
        LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
    },
};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
