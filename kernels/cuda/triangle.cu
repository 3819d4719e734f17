#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/triangle.h"

namespace lectern::kernels::cuda {
namespace {

/// `Word` is an integer of the size of an element.
template <typename Word>
struct TriangleKernel {
  Word* out;
  const Word* in;
  std::int64_t numel, rows, columns, diagonal;
  Triangle part;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < numel; i += threads) {
      const std::int64_t row = i / columns;
      const std::int64_t distance = i - row * columns - row % rows;
      const bool stays = part == Triangle::upper ? distance >= diagonal : distance <= diagonal;
      if (!stays) {
        out[i] = 0;
      } else if (out != in) {
        out[i] = in[i];
      }
    }
  }
};

}  // namespace

void keep_triangle(Triangle part, std::int64_t diagonal, std::int64_t matrices, std::int64_t rows,
                   std::int64_t columns, std::int64_t element_size, void* out, const void* in) {
  const std::int64_t numel = matrices * rows * columns;
  dispatch_word(element_size, [&]<typename Word>(std::type_identity<Word>) {
    launch_for(numel, TriangleKernel<Word>{static_cast<Word*>(out), static_cast<const Word*>(in), numel, rows,
                                           columns, diagonal, part});
  });
}

}  // namespace lectern::kernels::cuda
