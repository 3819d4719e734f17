#include "base/small_float.h"
#include "kernels/cuda/attention_tiles.h"
#include "ops/fragments.h"

namespace lectern::test {
namespace {

namespace cuda = kernels::cuda;

struct OneWarp {
  static constexpr int kThreads = cuda::kWarpThreads, kBlocksPerMultiprocessor = 1;
};

struct ReadKernel : OneWarp {
  static constexpr int kTileRows = 32, kTileColumns = 64;
  using Tile = cuda::SharedTile<kTileRows, kTileColumns>;
  // A tile is copied by 64 threads or more, in whole groups of eight rows.
  static constexpr int kThreads = 64;

  bool transposed;
  const std::uint16_t* matrix;
  int rows, columns;
  std::uint32_t* words;

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t /*index*/) const {
    const Tile tile{block.shared() + Tile::kBytes};
    tile.copy_from(cuda::ThreadOf<kThreads>{block.rank()}, matrix, kTileColumns, rows, columns);
    cuda::commit_copies();
    cuda::wait_for_copies<0>();
    block.sync();
    const int lane = block.rank();
    if (lane >= cuda::kWarpThreads) return;
    const cuda::DownReader<Tile> down(tile, 0, lane);
    for (int i = 0; i < 8; ++i) {
      const int row = i / 4 * 16, column = i % 4;
      const cuda::Words read = transposed ? down.read_transposed(row, column) : down.read(row, column);
      for (int w = 0; w < 4; ++w) words[(i * cuda::kWarpThreads + lane) * 4 + w] = read.at[w];
    }
  }
};

template <typename T>
struct MultiplyKernel : OneWarp {
  const std::uint32_t *a, *b;
  float* sums;

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t /*index*/) const {
    const int lane = block.rank();
    const cuda::Words left{{a[lane * 4], a[lane * 4 + 1], a[lane * 4 + 2], a[lane * 4 + 3]}};
    float own[4];
    for (int i = 0; i < 4; ++i) own[i] = sums[lane * 4 + i];
    cuda::multiply_add<T>(own, left, b[lane * 2], b[lane * 2 + 1]);
    for (int i = 0; i < 4; ++i) sums[lane * 4 + i] = own[i];
  }
};

struct FunctionsKernel : OneWarp {
  int mask;
  const float* x;
  float (*results)[4];
  std::uint32_t (*pairs)[2];

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t /*index*/) const {
    const int lane = block.rank();
    const float own = x[lane];
    results[lane][0] = cuda::exchange(own, mask);
    results[lane][1] = cuda::exp2_fast(own);
    results[lane][2] = cuda::log2_fast(own);
    results[lane][3] = cuda::reciprocal_fast(own);
    pairs[lane][0] = cuda::pack<BFloat16>(own, -own);
    pairs[lane][1] = cuda::pack<Half>(own, -own);
  }
};

}  // namespace

void read_fragments(bool transposed, const std::uint16_t* matrix, int rows, int columns,
                    std::uint32_t* words) {
  ReadKernel kernel{};
  kernel.transposed = transposed;
  kernel.matrix = matrix;
  kernel.rows = rows;
  kernel.columns = columns;
  kernel.words = words;
  cuda::launch_tiles(1, 2 * ReadKernel::Tile::kBytes, kernel);
}

void multiply_fragments_of(Dtype dtype, const std::uint32_t* a, const std::uint32_t* b, float* sums) {
  const auto launch = [&](auto kernel) {
    kernel.a = a;
    kernel.b = b;
    kernel.sums = sums;
    cuda::launch_tiles(1, 0, kernel);
  };
  if (dtype == bfloat16) {
    launch(MultiplyKernel<BFloat16>{});
  } else {
    launch(MultiplyKernel<Half>{});
  }
}

void try_functions(int mask, const float* x, float (*results)[4], std::uint32_t (*pairs)[2]) {
  FunctionsKernel kernel{};
  kernel.mask = mask;
  kernel.x = x;
  kernel.results = results;
  kernel.pairs = pairs;
  cuda::launch_tiles(1, 0, kernel);
}

}  // namespace lectern::test
