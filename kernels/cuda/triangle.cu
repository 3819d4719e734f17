#include <algorithm>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/pack_access.h"
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

/// 16 bytes at a time, of elements in one row or two.
template <typename Word>
struct PackedTriangleKernel {
  static constexpr int kCount = kPacked<Word>;
  static constexpr std::int64_t kMostElements = kLargestOffset / 4;  ///< so that no sum of sizes overflows

  Word* out;
  const Word* in;
  std::int64_t numel;
  Divider rows, columns;
  int first;           ///< what is as far from the main diagonal, or farther, is the upper part
  std::uint32_t flip;  ///< ones if the lower part stays

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t packs = numel / kCount;
    for (std::int64_t i = thread; i < packs; i += threads) {
      const RawPack mask = mask_at(i * kCount);
      const bool all = (mask.words[0] & mask.words[1] & mask.words[2] & mask.words[3]) == ~0U;
      if (all && out == in) continue;
      RawPack pack{};
      if ((mask.words[0] | mask.words[1] | mask.words[2] | mask.words[3]) != 0) {
        pack = read_pack(in + i * kCount);
        for (int w = 0; w < 4; ++w) pack.words[w] &= mask.words[w];
      }
      write_pack(out + i * kCount, pack);
    }
    const std::int64_t rest = packs * kCount + thread;
    if (rest < numel) out[rest] = (mask_at(rest).words[0] & 1) != 0 ? in[rest] : 0;
  }

 private:
  /// Of the elements from `index` on: ones for those that stay.
  LECTERN_HD RawPack mask_at(std::int64_t index) const {
    const auto at = static_cast<std::uint32_t>(index);
    const std::uint32_t line = columns.quotient(at), row = line - rows.quotient(line) * rows.divisor();
    const auto column = static_cast<int>(at - line * columns.divisor());
    const int left = static_cast<int>(columns.divisor()) - column;  // in this row
    const int next = row + 1 == rows.divisor() ? 0 : static_cast<int>(row) + 1;
    // Which of the elements is the first of the upper part, were they all in this row or in the next.
    const int here = first + static_cast<int>(row) - column, there = first + next + left;
    RawPack mask{};
    LECTERN_UNROLLED
    for (int i = 0; i < kCount; ++i) {
      const bool is_upper = i >= (i < left ? here : there);
      constexpr int kInWord = std::max(1, 4 / static_cast<int>(sizeof(Word)));
      constexpr int kWords = std::max(1, static_cast<int>(sizeof(Word)) / 4);
      constexpr std::uint32_t kOnes = ~0U >> (32 - 32 / kInWord);
      for (int w = 0; w < kWords; ++w) {
        if (is_upper) mask.words[i / kInWord * kWords + w] |= kOnes << (i % kInWord * (32 / kInWord));
      }
    }
    for (std::uint32_t& word : mask.words) word ^= flip;
    return mask;
  }
};

}  // namespace

void keep_triangle(Triangle part, std::int64_t diagonal, std::int64_t matrices, std::int64_t rows,
                   std::int64_t columns, std::int64_t element_size, void* out, const void* in) {
  const std::int64_t numel = matrices * rows * columns;
  if (numel == 0) return;
  dispatch_word(element_size, [&]<typename Word>(std::type_identity<Word>) {
    using Packed = PackedTriangleKernel<Word>;
    auto* const to = static_cast<Word*>(out);
    const auto* const from = static_cast<const Word*>(in);
    const bool aligned = is_aligned(out, kPackBytes) && is_aligned(in, kPackBytes);
    if (!aligned || numel > Packed::kMostElements || columns < Packed::kCount) {
      return launch_for(numel, TriangleKernel<Word>{to, from, numel, rows, columns, diagonal, part});
    }
    const bool upper = part == Triangle::upper;
    const auto first = static_cast<int>(std::clamp(diagonal, -rows, columns) + (upper ? 0 : 1));
    launch_for((numel + Packed::kCount - 1) / Packed::kCount,
               Packed{to, from, numel, Divider(rows), Divider(columns), first, upper ? 0 : ~0U});
  });
}

}  // namespace lectern::kernels::cuda
