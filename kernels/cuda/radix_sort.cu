#include <cstddef>

#include <cub/device/device_radix_sort.cuh>

#include "device/cuda_driver.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/radix_sort.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

struct ColumnsInOrder {
  std::int64_t* place;
  std::int64_t count, columns;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) place[i] = i % columns;
  }
};

void sort_row(std::int64_t columns, int bits, const SortedKeys& keys, const SortedKeys& workspace) {
  cub::DoubleBuffer<std::uint64_t> key(keys.key, workspace.key);
  cub::DoubleBuffer<std::int64_t> place(keys.place, workspace.place);
  const auto sort = [&](void* memory, std::size_t& bytes) {
    const cudaError_t status = cub::DeviceRadixSort::SortPairs(memory, bytes, key, place, columns, 0, bits,
                                                               lectern::cuda::current_stream_handle());
    lectern::cuda::check_status("sort", status == cudaSuccess ? nullptr : cudaGetErrorString(status));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);  // asks how many
  const Scratch memory(bytes);
  sort(memory.data(), bytes);
  move_keys(keys, {key.Current(), place.Current()}, columns);
}

}  // namespace

bool radix_sort_rows(std::int64_t rows, std::int64_t columns, int bits, const SortedKeys& keys,
                     const SortedKeys& workspace) {
  const std::int64_t count = rows * columns;
  launch_for(count, ColumnsInOrder{keys.place, count, columns});
  for (std::int64_t first = 0; first < count; first += columns)
    sort_row(columns, bits, keys.from(first), workspace.from(first));
  return true;
}

}  // namespace lectern::kernels::cuda
