#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "distributed/process_group.h"

// Tests whose body runs in several processes. RANKS_TEST(Suite, Name, 3) starts this program three times
// more, each time with this case alone; there the body runs, in the others' company. What it expects, and how
// each process ends, is the result. No process outlives the case.

namespace lectern::test {

/// Of this process; -1 in the one that starts the others.
int rank();
int ranks();
/// A folder of this case, the same for all its ranks.
std::string meeting_folder();

/// How the rank of that number is expected to end.
struct Ending {
  int rank;
  int signal;
};

/// Starts the ranks of the current test, waits for them, and expects them to succeed, but for `endings`.
void run_ranks(int count, const std::vector<Ending>& endings);

/// init_process_group() of all ranks.
void join(std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace lectern::test

#define RANKS_TEST(suite, name, count, ...)                                           \
  static void suite##_##name##_rank();                                                \
  TEST(suite, name) {                                                                 \
    if (lectern::test::rank() >= 0) return suite##_##name##_rank();                   \
    lectern::test::run_ranks(count, std::vector<lectern::test::Ending>{__VA_ARGS__}); \
  }                                                                                   \
  static void suite##_##name##_rank()
