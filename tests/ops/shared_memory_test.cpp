// That the simulated GPU notices what a GPU leaves to chance.
#include "simulated_gpu/shared_memory.h"

#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "simulated_gpu/fibers.h"

namespace lectern::test {
namespace {

constexpr int kWarp = 32;

/// Runs threads that share memory for an integer each.
void run(int threads, const std::function<void(int)>& thread) {
  begin_shared_memory(threads, threads * static_cast<int>(sizeof(int)));
  run_side_by_side(threads, thread);
  end_shared_memory();
}

SharedAddress place(int rank) {
  return static_cast<SharedAddress>(rank) * sizeof(int);
}
void write(int rank, int value) {
  write_shared(place(rank), &value, sizeof value);
}
int read(int rank) {
  int value;
  read_shared(place(rank), &value, sizeof value);
  return value;
}

TEST(SharedMemory, IsReadAfterABarrier) {
  for (const int threads : {kWarp, 2 * kWarp}) {
    std::vector<int> found(static_cast<std::size_t>(threads));
    run(threads, [&](int rank) {
      write(rank, rank);
      meet();
      found[static_cast<std::size_t>(rank)] = read(threads - 1 - rank);
      meet();
      write(rank, 0);
    });
    for (int rank = 0; rank < threads; ++rank)
      EXPECT_EQ(found[static_cast<std::size_t>(rank)], threads - 1 - rank);
  }
}

TEST(SharedMemory, OfAWarpIsReadAfterItsLanesHaveMet) {
  run(2 * kWarp, [](int rank) {
    write(rank, rank);
    sync_warp();
    EXPECT_EQ(read(rank ^ 1), rank ^ 1);
    sync_warp();
    write(rank ^ 2, 0);
  });
}

TEST(SharedMemory, HoldsWhatWasWaitedFor) {
  const int numbers[2 * kWarp] = {7, 8};
  run(2 * kWarp, [&](int rank) {
    copy_later(place(rank), &numbers[rank], sizeof(int), rank != 1);
    commit();
    wait_for_all_but(0);
    meet();
    EXPECT_EQ(read(0), 7);
    EXPECT_EQ(read(1), 0);
  });
}

TEST(SharedMemoryDeathTest, WithoutABarrier) {
  const auto expect_death = [](int threads, const char* reason, const std::function<void(int)>& thread) {
    EXPECT_DEATH(run(threads, thread), reason);
  };
  expect_death(kWarp, "another one may be writing", [](int rank) {
    write(rank, rank);
    if (rank > 0) read(rank - 1);
  });
  expect_death(2 * kWarp, "another one may be writing", [](int rank) {
    write(rank, rank);
    sync_warp();
    if (rank == kWarp) read(0);
  });
  expect_death(kWarp, "another one may be reading", [](int rank) {
    read(0);
    if (rank == kWarp - 1) write(0, rank);
  });
  expect_death(2 * kWarp, "another one may be reading", [](int rank) {
    if (rank % kWarp == 0) read(0);
    sync_warp();
    if (rank == 2 * kWarp - 1) write(0, rank);
  });
  expect_death(kWarp, "write the same", [](int rank) { write(0, rank); });
}

TEST(SharedMemoryDeathTest, WhereCopiesAreOnTheirWay) {
  static const int number = 5;
  const auto copy = [](int to) { copy_later(place(to), &number, sizeof number, true); };
  const auto expect_death = [](const char* reason, const std::function<void(int)>& thread) {
    EXPECT_DEATH(run(kWarp, thread), reason);
  };
  expect_death("ended before", copy);
  expect_death("ended before", [=](int rank) {
    copy(rank);
    wait_for_all_but(0);  // for what was committed
  });
  expect_death("on its way", [=](int rank) {
    copy(rank);
    commit();
    write(rank, rank);
  });
  expect_death("another one may be writing", [=](int rank) {
    copy(rank);
    commit();
    wait_for_all_but(0);
    if (rank > 0) read(rank - 1);
  });
  expect_death("another one may be reading", [=](int rank) {
    read(kWarp - 1);
    if (rank == kWarp - 1) copy(rank);
  });
}

TEST(SharedMemoryDeathTest, OutsideOrNotAligned) {
  EXPECT_DEATH(run(kWarp, [](int) { read(kWarp); }), "past the shared memory");
  EXPECT_DEATH(run(kWarp,
                   [](int) {
                     int value;
                     read_shared(2, &value, sizeof value);
                   }),
               "not aligned");
}

}  // namespace
}  // namespace lectern::test
