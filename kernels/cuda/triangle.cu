#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/triangle.h"

namespace lectern::kernels::cuda {
namespace {

/// `Word` is an integer of the size of an element. A thread takes kCount at a time, 16 bytes or one, of one
/// row or two.
template <typename Word, int kCount>
struct TriangleKernel {
  Word* out;
  const Word* in;
  std::int64_t numel;
  Divider rows, columns;
  int first;           ///< what is as far from the main diagonal, or farther, is the upper part
  std::uint32_t flip;  ///< ones if the lower part stays

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    if constexpr (kCount == 1) {
      for (std::int64_t i = thread; i < numel; i += threads) keep(i);
    } else {
      keep_packs(thread, threads);
    }
  }

 private:
  LECTERN_HD void keep_packs(std::int64_t thread, std::int64_t threads) const {
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
    if (rest < numel) keep(rest);
  }
  LECTERN_HD void keep(std::int64_t i) const {
    const bool stays = (mask_at(i).words[0] & 1) != 0;
    if (!stays || out != in) out[i] = stays ? in[i] : 0;
  }
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

/// Matrices, one after the other.
struct Matrices {
  std::int64_t count, rows, columns;
  std::int64_t first;  ///< the diagonal with which the upper part begins

  std::int64_t numel() const { return count * rows * columns; }
};

/// Calls visit(matrices, where they begin) for parts of so few elements that 32 bits hold sums of sizes.
template <typename Visit>
void for_each_part(const Matrices& all, std::int64_t begin, const Visit& visit) {
  constexpr std::int64_t kMost = kLargestOffset / 4, kAligned = 16;
  if (all.numel() <= kMost) return visit(all, begin);
  Matrices before = all, after = all;
  const auto divide = [&](std::int64_t Matrices::*size) {
    const std::int64_t half = all.*size / 2;
    before.*size = half < kAligned ? half : half / kAligned * kAligned;
    after.*size = all.*size - before.*size;
  };
  if (all.count > 1) {
    divide(&Matrices::count);
  } else if (all.rows > 1) {
    divide(&Matrices::rows);
    after.first += before.rows;
  } else {
    divide(&Matrices::columns);
    after.first -= before.columns;
  }
  for_each_part(before, begin, visit);
  for_each_part(after, begin + before.numel(), visit);
}

template <typename Word>
void keep_part(const Matrices& part, bool upper, Word* out, const Word* in) {
  const auto launch = [&]<int kCount>(std::integral_constant<int, kCount>) {
    const auto first = static_cast<int>(std::clamp(part.first, -part.rows, part.columns));
    launch_for((part.numel() + kCount - 1) / kCount,
               TriangleKernel<Word, kCount>{out, in, part.numel(), Divider(part.rows), Divider(part.columns),
                                            first, upper ? 0 : ~0U});
  };
  const bool aligned = is_aligned(out, kPackBytes) && is_aligned(in, kPackBytes);
  if (aligned && part.columns >= kPacked<Word>) return launch(std::integral_constant<int, kPacked<Word>>{});
  launch(std::integral_constant<int, 1>{});
}

}  // namespace

void keep_triangle(Triangle part, std::int64_t diagonal, std::int64_t matrices, std::int64_t rows,
                   std::int64_t columns, std::int64_t element_size, void* out, const void* in) {
  if (matrices * rows * columns == 0) return;
  const bool upper = part == Triangle::upper;
  const Matrices all{matrices, rows, columns, std::clamp(diagonal, -rows, columns) + (upper ? 0 : 1)};
  dispatch_word(element_size, [&]<typename Word>(std::type_identity<Word>) {
    for_each_part(all, 0, [&](const Matrices& some, std::int64_t begin) {
      keep_part(some, upper, static_cast<Word*>(out) + begin, static_cast<const Word*>(in) + begin);
    });
  });
}

}  // namespace lectern::kernels::cuda
