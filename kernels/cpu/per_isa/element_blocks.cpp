#include "kernels/cpu/element_blocks.h"

#include "kernels/cpu/block_loops.h"
#include "kernels/cpu/isa.h"
#include "kernels/elementwise_functors.h"

namespace lectern::kernels::cpu::LECTERN_ISA {

constinit const ElementBlocks element_blocks = {
    {
#define LECTERN_ROW(name, Functor, rule, autocast) \
  {block<Functor, float>(), block<Functor, double>(), block<Functor, std::int64_t>()},
        LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
    },
    {
#define LECTERN_ROW(name, Functor, rule, autocast) \
  {binary_blocks<Functor, float>(), binary_blocks<Functor, double>(), binary_blocks<Functor, std::int64_t>()},
        LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
    },
    {
#define LECTERN_ROW(name, Functor) \
  {block<Functor, float>(), block<Functor, double>(), block<Functor, std::int64_t>()},
        LECTERN_TERNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
    },
};

}  // namespace lectern::kernels::cpu::LECTERN_ISA
