#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <type_traits>

#include "kernels/cuda/grid.h"
#include "simulated_gpu/capture.h"
#include "simulated_gpu/fibers.h"
#include "simulated_gpu/mma.h"

// Kernels on the host, in place of kernels/cuda/nvcc_launch.h: a launch is done when it returns, unless it is
// recorded (capture.h). Values meet in the same order as on a GPU, so that results have the same bits.

namespace lectern::kernels::cuda {

/// One launch at a time.
inline std::mutex simulated_gpu;

/// How many there were, for tests.
inline std::int64_t launches = 0;

template <int kSize>
class SimulatedGroup {
 public:
  explicit SimulatedGroup(int rank) : rank_(rank) {}

  int rank() const { return rank_; }
  static constexpr int size() { return kSize; }
  void sync() const { test::meet(); }

  /// One group runs at a time.
  template <typename T>
  T& shared() const {
    static T memory;
    return memory;
  }

  template <typename T, typename Merge>
  T reduce(T value, Merge merge) const {
    static_assert(std::is_trivially_copyable_v<T>);
    // Values as bytes: where they lie, nothing need be constructed.
    alignas(T) static std::array<std::byte, (kSize + 1) * sizeof(T)> exchange;
    std::byte* const merged = exchange.data() + kSize * sizeof(T);
    std::memcpy(exchange.data() + static_cast<std::size_t>(rank_) * sizeof(T), &value, sizeof(T));
    sync();
    if (rank_ == 0) {
      const T result = merge_all<T>(exchange.data(), merge);
      std::memcpy(merged, &result, sizeof(T));
    }
    sync();
    std::memcpy(&value, merged, sizeof(T));
    return value;
  }

  template <typename T, typename Merge>
  Scanned<T> scan(const T& value, const T& start, Merge merge) const {
    static std::array<T, kSize> values;
    static std::array<Scanned<T>, kSize> scanned;
    values[static_cast<std::size_t>(rank_)] = value;
    sync();
    if (rank_ == 0) scanned = scan_all(values, start, merge);
    sync();
    return scanned[static_cast<std::size_t>(rank_)];
  }

 private:
  template <typename T, typename Merge>
  static std::array<Scanned<T>, kSize> scan_all(std::array<T, kSize> values, const T& start, Merge merge) {
    std::array<Scanned<T>, kSize> scanned;
    T before = start;
    for (std::size_t warp = 0; warp < kSize; warp += kWarpThreads) {
      T* const lanes = values.data() + warp;
      for (int distance = 1; distance < kWarpThreads; distance *= 2) {
        for (int lane = kWarpThreads - 1; lane >= distance; --lane)
          lanes[lane] = merge(lanes[lane - distance], lanes[lane]);
      }
      for (int lane = 0; lane < kWarpThreads; ++lane) {
        const T in_warp = lane > 0 ? lanes[lane - 1] : start;
        scanned[warp + static_cast<std::size_t>(lane)].before =
            kSize > kWarpThreads ? merge(before, in_warp) : in_warp;
      }
      before = merge(before, lanes[kWarpThreads - 1]);
    }
    for (Scanned<T>& one : scanned) one.all = before;
    return scanned;
  }
  template <typename T, typename Merge>
  static T merge_all(const std::byte* values, Merge merge) {
    std::array<T, kSize> all;
    std::memcpy(all.data(), values, sizeof all);
    for (int warp = 0; warp < kSize; warp += kWarpThreads) {
      T* const lanes = all.data() + warp;
      for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
        for (int lane = 0; lane < distance; ++lane) lanes[lane] = merge(lanes[lane], lanes[lane + distance]);
      }
    }
    T value = all[0];
    for (int warp = kWarpThreads; warp < kSize; warp += kWarpThreads) {
      value = merge(value, all[static_cast<std::size_t>(warp)]);
    }
    return value;
  }

  int rank_;
};

using Warp = SimulatedGroup<kWarpThreads>;
template <int kThreads>
using BlockOf = SimulatedGroup<kThreads>;
using Block = BlockOf<kBlockThreads>;

template <int kThreads>
class TileBlock : public BlockOf<kThreads> {
 public:
  using BlockOf<kThreads>::BlockOf;
  SharedAddress shared() const { return 0; }
};

class Team {
 public:
  Team(bool is_block, int rank) : is_block_(is_block), rank_(rank) {}

  int rank() const { return rank_; }
  int size() const { return is_block_ ? Block::size() : Warp::size(); }
  void sync() const { test::meet(); }

  template <typename T, typename Merge>
  T reduce(T value, Merge merge) const {
    return is_block_ ? Block(rank_).reduce(value, merge) : Warp(rank_).reduce(value, merge);
  }

 private:
  bool is_block_;
  int rank_;
};

/// All threads of a launch.
inline void launch(const std::function<void()>& threads) {
  test::give([threads] {
    const std::lock_guard one(simulated_gpu);
    ++launches;
    threads();
  });
}

template <typename Kernel>
void launch_threads(std::int64_t blocks, int threads_per_block, const Kernel& kernel) {
  launch([=] {
    const std::int64_t threads = blocks * threads_per_block;
    for (std::int64_t thread = 0; thread < threads; ++thread) kernel(thread, threads);
  });
}

/// Two blocks, each of `threads`, which call kernel(rank, group) for every second group: as on a GPU, threads
/// go on to the next group while others are not done with the one before.
template <typename Kernel>
void run_in_blocks(int threads, std::int64_t groups, const Kernel& kernel) {
  constexpr std::int64_t kBlocks = 2;
  for (std::int64_t first = 0; first < std::min(kBlocks, groups); ++first) {
    test::run_side_by_side(threads, [&](int rank) {
      for (std::int64_t group = first; group < groups; group += kBlocks) kernel(rank, group);
    });
  }
}

template <int kThreads, typename Kernel>
void run_groups(std::int64_t groups, const Kernel& kernel) {
  run_in_blocks(kThreads, groups,
                [&](int rank, std::int64_t group) { kernel(SimulatedGroup<kThreads>(rank), group); });
}

template <int kThreads, typename Kernel>
void launch_groups(std::int64_t groups, const Kernel& kernel) {
  launch([=] { run_groups<kThreads>(groups, kernel); });
}

template <typename Kernel>
void launch_blocks(std::int64_t blocks, const Kernel& kernel) {
  launch_groups<kBlockThreads>(blocks, kernel);
}

template <typename Kernel>
void launch_teams(std::int64_t teams, std::int64_t length, const Kernel& kernel) {
  launch([=] {
    const bool of_blocks = length > kWarpRow;
    run_in_blocks(of_blocks ? Block::size() : Warp::size(), teams,
                  [&](int rank, std::int64_t team) { kernel(Team(of_blocks, rank), team); });
  });
}

template <typename Kernel>
void launch_tiles(std::int64_t blocks, int shared_bytes, const Kernel& kernel) {
  launch([=] {
    for (std::int64_t i = 0; i < blocks; ++i) {
      test::begin_tiles(Kernel::kThreads, shared_bytes);
      test::run_side_by_side(Kernel::kThreads,
                             [&](int rank) { kernel(TileBlock<Kernel::kThreads>(rank), i); });
      test::end_shared_memory();
    }
  });
}

template <typename... Kernels>
void launch_phases(const Phase<Kernels>&... phases) {
  launch([=] { (run_groups<kBlockThreads>(phases.groups, phases.kernel), ...); });
}

}  // namespace lectern::kernels::cuda
