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
template <typename T, bool kCentered, int kBlock>
struct OnePassKernel {
  static constexpr int kThreads = kBlock, kBlocksOfProcessor = kProcessorThreads / kBlock;
  static constexpr int kColumns = kPacked<T>;
  using Stages = RowStages<kBlock, 1>;
  using Held = typename Stages::Held;
  using Columns = SharedColumns<T, kBlock>;

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
    const ThreadPacks<kBlock> mine{block.rank(), static_cast<int>(shape.length) / kColumns};
    const Columns weights(block.shared(), mine, weight, 1), biases(weights.end(), mine, bias, 0);
    Stages stages(biases.end(), mine);
    for (int ahead = 0; ahead < kStages; ++ahead) stages.copy(x, begin + ahead, end);
    for (std::int64_t row = begin; row < end; ++row) {
      const Held held = stages.read();
      stages.copy(x, row + kStages, end);
      const RowStatistics<float> found = statistics_of(block, mine, held);
      if (block.rank() == 0) statistics.set(row, found);
      write(mine, held, found, weights, biases, out.row(row));
    }
  }

 private:
  template <typename Group>
  LECTERN_HD RowStatistics<float> statistics_of(const Group& block, const ThreadPacks<kBlock>& mine,
                                                const Held& held) const {
    const auto elements = static_cast<float>(shape.length);
    float mean = 0;
    if constexpr (kCentered) {
      const auto sums = sums_about(mine, held, 0);
      mean = block.reduce(sums.first, Add{}) / elements;
    }
    const auto sums = block.reduce(sums_about(mine, held, mean), MergeBoth<Add, Add>{});
    // Of the differences from a rounded mean, the mean is not quite 0.
    const float rest = kCentered ? sums.first / elements : 0;
    return {mean + rest, 1 / math::sqrt(sums.second / elements - rest * rest + eps)};
  }
  /// What this thread has of the sum of differences from a number, and of their squares.
  LECTERN_HD static Both<float> sums_about(const ThreadPacks<kBlock>& mine, const Held& held, float origin) {
    Both<float> sums{0, 0};
    mine.for_each([&](int k, int) {
      Both<float> pack_sums{0, 0};
      LECTERN_UNROLLED
      for (int c = 0; c < kColumns; ++c) {
        const float difference = held.of[0][k].template number<T>(c) - origin;
        pack_sums.first += difference;
        pack_sums.second += difference * difference;
      }
      sums.first += pack_sums.first;
      sums.second += pack_sums.second;
    });
    return sums;
  }
  LECTERN_HD static void write(const ThreadPacks<kBlock>& mine, const Held& held,
                               const RowStatistics<float>& found, const Columns& weights,
                               const Columns& biases, std::byte* to) {
    const Normalized<float> normalized{found};
    mine.for_each([&](int k, int number) {
      const auto w = weights.chunk(number), b = biases.chunk(number);
      float values[kColumns];
      LECTERN_UNROLLED
      for (int c = 0; c < kColumns; ++c) {
        values[c] = normalized(held.of[0][k].template number<T>(c), w[c], b[c]);
      }
      write_pack(to + number * kPackBytes, RawPack::of<T>(values));
    });
  }
};

}  // namespace

bool norm_in_one_pass(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
                      const NormParameters& parameters, const NormStatistics& statistics) {
  constexpr std::int64_t kFewestPacks = 512;
  const int shared = (parameters.weight != nullptr ? 1 : 0) + (parameters.bias != nullptr ? 1 : 0);
  if (shared == 0 || !has_one_pass(shape.length, out.dtype, kFewestPacks, 1, shared)) return false;
  const std::array arrays{out, x};
  const Lines lines = make_lines(std::array{shape.rows, shape.length}, 1, arrays);
  const auto launch_type = [&]<typename T>(std::type_identity<T>) {
    if (!has_packed_rows<T>(lines, arrays)) return false;
    const std::int64_t packs = shape.length / kPacked<T>;
    with_one_pass_threads<kFewestPacks>(packs, [&](auto threads) {
      with_centring(kind, [&](auto centred) {
        using Kernel = OnePassKernel<T, centred, threads>;
        const std::int64_t parts = std::min(
            shape.rows, std::int64_t{current_gpu().multi_processor_count} * Kernel::kBlocksOfProcessor);
        launch_tiles(parts, static_cast<int>(one_pass_bytes(shape.length, packs * kPackBytes, 1, shared)),
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
    return true;
  };
  return launch_type(std::type_identity<Half>{}) || launch_type(std::type_identity<BFloat16>{});
}

}  // namespace lectern::kernels::cuda
