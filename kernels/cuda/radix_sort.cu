#include <bit>
#include <cstddef>

#include <cub/device/device_radix_sort.cuh>

#include "device/cuda_driver.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/radix_sort.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

constexpr int kKeyBits = 64;

/// Numbers the columns and, unless `row_shift` is 64, puts the number of its row above the bits of a key.
struct NumberKernel {
  KeysAndPlaces keys;
  std::int64_t count, columns;
  int row_shift;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) {
      const std::int64_t row = i / columns;
      keys.place[i] = i - row * columns;
      if (row_shift == kKeyBits) continue;
      const std::uint64_t below = (std::uint64_t{1} << row_shift) - 1;
      keys.key[i] = (keys.key[i] & below) | static_cast<std::uint64_t>(row) << row_shift;
    }
  }
};

/// CUB's sorts of `count` keys.
class RadixSort {
 public:
  RadixSort(std::int64_t count, int bits) : count_(count), bits_(bits), memory_(workspace_bytes()) {}

  void run(const KeysAndPlaces& keys, const KeysAndPlaces& workspace) const {
    cub::DoubleBuffer<std::uint64_t> key(keys.key, workspace.key);
    cub::DoubleBuffer<std::int64_t> place(keys.place, workspace.place);
    std::size_t bytes = memory_.bytes();
    call(memory_.data(), bytes, key, place);
    copy_keys(keys, {key.Current(), place.Current()}, count_);
  }

 private:
  std::size_t workspace_bytes() const {
    cub::DoubleBuffer<std::uint64_t> key;
    cub::DoubleBuffer<std::int64_t> place;
    std::size_t bytes = 0;
    call(nullptr, bytes, key, place);
    return bytes;
  }
  /// CUB takes what went wrong from where check() would find it.
  void call(void* memory, std::size_t& bytes, cub::DoubleBuffer<std::uint64_t>& key,
            cub::DoubleBuffer<std::int64_t>& place) const {
    const cudaError_t status = cub::DeviceRadixSort::SortPairs(memory, bytes, key, place, count_, 0, bits_,
                                                               lectern::cuda::current_stream_handle());
    lectern::cuda::check_status("cub::DeviceRadixSort",
                                status == cudaSuccess ? nullptr : cudaGetErrorString(status));
  }

  std::int64_t count_;
  int bits_;
  Scratch memory_;
};

}  // namespace

bool radix_sort_rows(std::int64_t rows, std::int64_t columns, int bits, const KeysAndPlaces& keys,
                     const KeysAndPlaces& workspace) {
  const std::int64_t count = rows * columns;
  const int row_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(rows - 1)));
  const bool at_once = bits + row_bits <= kKeyBits;
  launch_for(count, NumberKernel{keys, count, columns, at_once && rows > 1 ? bits : kKeyBits});
  if (at_once) {
    RadixSort(count, bits + row_bits).run(keys, workspace);
    return true;
  }
  const RadixSort sort(columns, bits);
  for (std::int64_t first = 0; first < count; first += columns)
    sort.run(keys.from(first), workspace.from(first));
  return true;
}

}  // namespace lectern::kernels::cuda
