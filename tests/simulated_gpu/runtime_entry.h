#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// How kernels that are compiled at run time are entered on the simulated GPU, where they are a library of
// their own: by each thread of a group in turn, which is told how to meet the others.

namespace lectern::test {

template <int kSize>
class RuntimeGroup {
 public:
  RuntimeGroup(int rank, void (*meet)()) : rank_(rank), meet_(meet) {}

  int rank() const { return rank_; }
  static constexpr int size() { return kSize; }
  void sync() const { meet_(); }

  /// In the order of kernels/cuda/nvcc_groups.h.
  template <typename T, typename Merge>
  T reduce(T value, Merge merge) const {
    constexpr int kWarp = 32;
    static std::array<T, kSize> values;
    values[static_cast<std::size_t>(rank_)] = value;
    sync();
    if (rank_ == 0) {
      for (int warp = 0; warp < kSize; warp += kWarp) {
        T* const lanes = values.data() + warp;
        for (int distance = kWarp / 2; distance > 0; distance /= 2) {
          for (int lane = 0; lane < distance; ++lane)
            lanes[lane] = merge(lanes[lane], lanes[lane + distance]);
        }
        if (warp > 0) values[0] = merge(values[0], lanes[0]);
      }
    }
    sync();
    value = values[0];
    sync();
    return value;
  }

 private:
  int rank_;
  void (*meet_)();
};

}  // namespace lectern::test

#define LECTERN_RUNTIME_KERNEL(name, Kernel, kThreads)                                               \
  extern "C" void name(const void* fields, std::int64_t index, int rank, void (*meet)()) {           \
    (*static_cast<const Kernel*>(fields))(lectern::test::RuntimeGroup<kThreads>(rank, meet), index); \
  }
