#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/norm_lines.h"
#include "kernels/cuda/one_pass_norms.h"
#include "kernels/cuda/one_pass_rows.h"

namespace lectern::kernels::cuda {
namespace {

/// A block per part of the rows.
template <typename T, bool kCentered, typename Mine>
struct OnePassKernel {
  static constexpr int kThreads = Mine::kThreads, kBlocksPerMultiprocessor = kProcessorThreads / kThreads;
  using Columns = SharedColumns<T, Mine>;

  RowsOfArray out;
  std::array<RowsOfArray, 1> x;
  NormShape shape;
  const float* weight;
  const float* bias;
  float eps;
  StatisticsOfRows<float> statistics;
  std::int64_t parts;

  template <typename Group>
  LECTERN_HD void operator()(const Group& block, std::int64_t part) const {
    const std::int64_t begin = part * shape.rows / parts, end = (part + 1) * shape.rows / parts;
    const Mine mine{block.rank(), static_cast<int>(shape.length) / kPacked<T>};
    const Columns weights(block.shared(), mine, weight, 1), biases(weights.end(), mine, bias, 0);
    RowStages<T, Mine, 1> stages(biases.end(), mine, x);
    for (int ahead = 0; ahead < kStages; ++ahead) stages.copy(begin + ahead, end);
    for (std::int64_t row = begin; row < end; ++row) {
      stages.wait();
      const auto held = stages.read(0, row);
      stages.copy(row + kStages, end);
      const auto found = norm_row<kCentered>(block, shape.length, eps, wide_row<T>(out, row, mine.count()),
                                             held, weights, biases);
      if (block.rank() == 0) statistics.set(row, found);
    }
  }
};

}  // namespace

bool norm_in_one_pass(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
                      const NormParameters& parameters, const NormStatistics& statistics) {
  constexpr std::int64_t kFewestPacks = 512;
  constexpr int kShared = 2;  // weights and biases
  if (parameters.weight == nullptr && parameters.bias == nullptr) return false;
  if (!has_one_pass(shape.length, out.dtype, kFewestPacks, 1, kShared)) return false;
  const std::array arrays{out, x};
  const Lines lines = make_lines(std::array{shape.rows, shape.length}, 1, arrays);
  return visit_one_pass<kFewestPacks, Half, BFloat16>(
      lines, arrays, [&]<typename T, typename Mine>(std::type_identity<T>, std::type_identity<Mine>) {
        with_centring(kind, [&](auto centred) {
          using Kernel = OnePassKernel<T, centred, Mine>;
          const std::int64_t resident =
              std::int64_t{current_gpu().multi_processor_count} * Kernel::kBlocksPerMultiprocessor;
          const std::int64_t parts = std::min(shape.rows, resident);
          launch_tiles(parts,
                       static_cast<int>(one_pass_bytes(
                           shape.length, shape.length * static_cast<std::int64_t>(sizeof(T)), 1, kShared)),
                       Kernel{rows_of_array(lines, arrays, 0),
                              {rows_of_array(lines, arrays, 1)},
                              shape,
                              static_cast<const float*>(parameters.weight),
                              static_cast<const float*>(parameters.bias),
                              static_cast<float>(eps),
                              StatisticsOfRows<float>(statistics),
                              parts});
        });
      });
}

}  // namespace lectern::kernels::cuda
