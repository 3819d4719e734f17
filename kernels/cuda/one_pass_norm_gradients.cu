#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/norm_lines.h"
#include "kernels/cuda/one_pass_norms.h"
#include "kernels/cuda/one_pass_rows.h"

namespace lectern::kernels::cuda {
namespace {

constexpr std::int64_t kFewestPacks = 64;

/// A block per part of the rows. A thread keeps the sums of its columns in registers.
template <typename T, bool kCentered, typename Mine>
struct OnePassGradientKernel {
  static constexpr int kThreads = Mine::kThreads, kBlocksPerMultiprocessor = kProcessorThreads / kThreads;
  static constexpr int kColumns = kPacked<T>;
  using Weights = SharedColumns<T, Mine>;

  RowsOfArray out;
  std::array<RowsOfArray, 2> read;  ///< grad, x
  NormShape shape;
  StatisticsOfRows<float> statistics;
  const float* weight;
  NormParameters gradients;
  std::int64_t parts;

  template <typename Group>
  LECTERN_HD void operator()(const Group& block, std::int64_t part) const {
    const std::int64_t begin = part * shape.rows / parts, end = (part + 1) * shape.rows / parts;
    const Mine mine{block.rank(), static_cast<int>(shape.length) / kColumns};
    const Weights weights(block.shared(), mine, weight, 1);
    RowStages<T, Mine, 2> stages(weights.end(), mine, read);
    for (int ahead = 0; ahead < kStages; ++ahead) stages.copy(begin + ahead, end);
    Sums sums;
    RowStatistics<float> next = statistics.get(begin);
    for (std::int64_t row = begin; row < end; ++row) {
      const RowStatistics<float> found = next;
      if (row + 1 < end) next = statistics.get(row + 1);
      stages.wait();
      const auto grad = stages.read(0, row), x = stages.read(1, row);
      absorb(sums, mine, found, grad, x);
      stages.copy(row + kStages, end);
      norm_backward_row<kCentered>(block, shape.length, found, wide_row<T>(out, row, mine.count()), grad, x,
                                   weights);
    }
    write_sums(gradients.weight, part, mine, sums.weight);
    write_sums(gradients.bias, part, mine, sums.bias);
  }

 private:
  struct Sums {
    float weight[kThreadPacks][kColumns] = {}, bias[kThreadPacks][kColumns] = {};
  };

  LECTERN_HD static void absorb(Sums& sums, const Mine& mine, const RowStatistics<float>& found,
                                const StagedRow<T, Mine>& grad, const StagedRow<T, Mine>& x) {
    mine.for_each([&](int k, int) {
      const auto grads = grad.batch(mine).chunk(k), xs = x.batch(mine).chunk(k);
      LECTERN_UNROLLED
      for (int c = 0; c < kColumns; ++c) {
        sums.weight[k][c] = math::multiply_add(grads[c], found.normalized(xs[c]), sums.weight[k][c]);
        sums.bias[k][c] += grads[c];
      }
    });
  }
  LECTERN_HD void write_sums(void* parameter, std::int64_t part, const Mine& mine,
                             const float (&sums)[kThreadPacks][kColumns]) const {
    if (parameter == nullptr) return;
    float* const to = static_cast<float*>(parameter) + part * shape.length;
    mine.for_each([&](int k, int number) { write_packs(to + number * kColumns, sums[k]); });
  }
};

}  // namespace

std::int64_t one_pass_norm_parts(const NormShape& shape, Dtype dtype) {
  // Rows of a part: at least, at least while multiprocessors would be idle, and at most, since they are added
  // one after the other.
  constexpr std::int64_t kFewest = 16, kFewestOfFew = 4, kMost = 1024;
  if (!has_one_pass(shape.length, dtype, kFewestPacks, 2, 1)) return 0;
  const std::int64_t processors = current_gpu().multi_processor_count;
  const int threads = one_pass_threads(shape.length * element_size(dtype) / kPackBytes);
  const std::int64_t resident = processors * (kProcessorThreads / threads);
  const std::int64_t wanted = std::max(shape.rows / kFewest, std::min(shape.rows / kFewestOfFew, processors));
  return std::clamp<std::int64_t>(wanted, 1, std::max(resident, shape.rows / kMost));
}

bool norm_backward_in_one_pass(Norm kind, const NormShape& shape, const Array& out, const Array& grad,
                               const Array& x, const void* weight, const NormStatistics& statistics,
                               const NormParameters& gradients) {
  const std::int64_t parts = one_pass_norm_parts(shape, out.dtype);
  if (parts == 0) return false;
  const std::array arrays{out, grad, x};
  const Lines lines = make_lines(std::array{shape.rows, shape.length}, 1, arrays);
  return visit_one_pass<kFewestPacks, float, Half, BFloat16>(
      lines, arrays, [&]<typename T, typename Mine>(std::type_identity<T>, std::type_identity<Mine>) {
        with_centring(kind, [&](auto centred) {
          launch_tiles(parts,
                       static_cast<int>(one_pass_bytes(
                           shape.length, shape.length * static_cast<std::int64_t>(sizeof(T)), 2, 1)),
                       OnePassGradientKernel<T, centred, Mine>{
                           rows_of_array(lines, arrays, 0),
                           {rows_of_array(lines, arrays, 1), rows_of_array(lines, arrays, 2)},
                           shape,
                           StatisticsOfRows<float>(statistics),
                           static_cast<const float*>(weight),
                           gradients,
                           parts});
        });
      });
}

}  // namespace lectern::kernels::cuda
