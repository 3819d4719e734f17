#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "distributed/collectives.h"
#include "distributed/observer.h"
#include "distributed/ranks.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "temporary_folder.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

RANKS_TEST(Groups, CommunicateAmongThemselves, 5) {
  test::join();
  const int rank = test::rank();
  EXPECT_EQ(distributed::get_rank(), rank);
  EXPECT_EQ(distributed::get_world_size(), 5);
  const distributed::Group odd = distributed::new_group({3, 1}), even = distributed::new_group({0, 2, 4});
  EXPECT_EQ(odd == nullptr, rank % 2 == 0);
  const distributed::Group& own = rank % 2 == 0 ? even : odd;
  EXPECT_EQ(distributed::get_rank(own), rank % 2 == 0 ? rank / 2 : (rank == 3 ? 0 : 1));
  EXPECT_EQ(distributed::get_world_size(own), rank % 2 == 0 ? 3 : 2);
  if (odd != nullptr) {
    EXPECT_EQ(distributed::get_global_rank(odd, 0), 3);
    EXPECT_EQ(distributed::get_group_rank(odd, 1), 1);
    EXPECT_EQ(distributed::get_process_group_ranks(odd), (std::vector<int>{3, 1}));
    EXPECT_PROBLEM(distributed::get_group_rank(odd, 2), "must be one of [3, 1], not 2");
    EXPECT_PROBLEM(distributed::broadcast(zeros({1}), 2, {.group = odd}), "rank 2 is not in the group");
  }
  const Tensor sum = full({2}, 1. * rank);
  distributed::all_reduce(sum, distributed::ReduceOp::sum, {.group = own});
  EXPECT_EQ(sum[0].item<float>(), rank % 2 == 0 ? 6 : 4);
  const Tensor from = full({2}, 1. * rank);
  distributed::broadcast(from, rank % 2 == 0 ? 4 : 1, {.group = own});
  EXPECT_EQ(from[0].item<float>(), rank % 2 == 0 ? 4 : 1);
  EXPECT_PROBLEM(distributed::new_group({0, 0}), "must be different ones from 0 to 4, not [0, 0]");
  EXPECT_PROBLEM(distributed::new_group({rank}), "calls new_group of ranks [");
  distributed::destroy_process_group();
}

RANKS_TEST(PointToPoint, MessagesArriveInOrderByTag, 3) {
  test::join();
  const int rank = test::rank(), next = (rank + 1) % 3, before = (rank + 2) % 3;
  const Tensor received = zeros({4, 3}).t();
  const distributed::Work sent = distributed::isend(full({3, 4}, 1. * rank), next);
  distributed::recv(received, before);
  sent.wait();
  EXPECT_TRUE(received.equal(full({3, 4}, 1. * before)));
  if (rank == 0) {
    const auto first = distributed::isend(full({1}, 1.), 1, nullptr, 7);
    const auto second = distributed::isend(full({1}, 2.), 1, nullptr, 7);
    const auto other = distributed::isend(tensor({3}), 1, nullptr, 8);
    other.wait();
    second.wait();
    first.wait();
  }
  if (rank == 1) {
    const Tensor a = zeros({1}), b = zeros({1}), c = zeros({1}, {.dtype = int64});
    distributed::recv(c, 0, nullptr, 8);
    distributed::recv(a, 0, nullptr, 7);
    distributed::recv(b, 0, nullptr, 7);
    EXPECT_EQ(a.item<float>(), 1);
    EXPECT_EQ(b.item<float>(), 2);
    EXPECT_EQ(c.item<int>(), 3);
  }
  const std::string problem = "rank 0 sends float32 [2] to rank 2, which expects float64 [2]";
  if (rank == 0) {
    EXPECT_PROBLEM(distributed::send(zeros({2}), 2), problem);
  }
  if (rank == 2) {
    EXPECT_PROBLEM(distributed::recv(zeros({2}, {.dtype = float64}), 0), problem);
  }
  distributed::destroy_process_group();
}

using Memory = std::vector<float>;

Tensor tensor_over(const std::shared_ptr<Memory>& memory) {
  return from_blob(memory->data(), {static_cast<std::int64_t>(memory->size())}, [memory] {});
}

RANKS_TEST(PointToPoint, MessagesArriveThoughNobodyWaits, 2) {
  constexpr std::int64_t kCount = 1 << 18;
  test::join(std::chrono::seconds(10));
  if (test::rank() == 0) {
    auto memory = std::make_shared<Memory>(kCount, 3.F);
    const std::weak_ptr<Memory> sent = memory;
    distributed::isend(tensor_over(memory), 1);
    memory.reset();
    distributed::barrier();
    EXPECT_FALSE(sent.expired());
    distributed::send(full({kCount}, 5.), 1, nullptr, 1);
    distributed::barrier();
    for (int i = 0; i < 200 && !sent.expired(); ++i) distributed::send(zeros({1}), 1, nullptr, 2);
    EXPECT_TRUE(sent.expired());
    distributed::send(ones({1}), 1, nullptr, 2);
  } else {
    const Tensor first = zeros({kCount}), second = zeros({kCount}), last = zeros({1});
    distributed::irecv(second, 0, nullptr, 1);
    distributed::barrier();
    distributed::recv(first, 0);
    distributed::barrier();
    EXPECT_TRUE(first.equal(full({kCount}, 3.)));
    EXPECT_TRUE(second.equal(full({kCount}, 5.)));
    while (last.item<float>() == 0) distributed::recv(last, 0, nullptr, 2);
  }
  distributed::destroy_process_group();
}

RANKS_TEST(PointToPoint, MessagesArriveAfterTheirGroup, 2) {
  test::join(std::chrono::seconds(10));
  const Tensor received = zeros({1 << 18});
  {
    const distributed::Group group = distributed::new_group({1, 0});
    if (test::rank() == 0) distributed::isend(full({1 << 18}, 3.), 1, group);
    if (test::rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      distributed::irecv(received, 0, group);
    }
  }
  if (test::rank() == 1) {
    EXPECT_TRUE(received.equal(full({1 << 18}, 3.)));
  }
  distributed::destroy_process_group();
}

RANKS_TEST(PointToPoint, WhatNobodyReceivesDoesNotHoldUpTheEnd, 2) {
  test::join();
  const int other = 1 - test::rank();
  const Tensor x = zeros({1000});
  for (int i = 0; i < 100; ++i) {
    distributed::isend(x, other, nullptr, 1);
    distributed::irecv(x, other, nullptr, 2);
  }
  const distributed::Work held = distributed::irecv(x, other, nullptr, 3);
  const auto start = std::chrono::steady_clock::now();
  distributed::destroy_process_group();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_PROBLEM(held.wait(), "it called destroy_process_group");
}

RANKS_TEST(Groups, AreUnusableAfterTheirProcessGroup, 2) {
  test::join();
  const distributed::Group group = distributed::new_group({0, 1});
  distributed::destroy_process_group();
  distributed::init_process_group({.init_method = "file://" + test::meeting_folder() + "/next",
                                   .rank = test::rank(),
                                   .world_size = 2,
                                   .timeout = std::chrono::seconds(60)});
  const char* const problem = "the group is of a process group that was destroyed";
  EXPECT_PROBLEM(distributed::barrier({.group = group}), problem);
  EXPECT_PROBLEM(distributed::isend(zeros({1}), 1 - test::rank(), group), problem);
  distributed::barrier();
  distributed::destroy_process_group();
}

/// A port that nobody uses at the moment, the same on all ranks.
int free_port() {
  return 20000 + static_cast<int>(std::hash<std::string>()(test::meeting_folder()) % 12000);
}

RANKS_TEST(Rendezvous, OverTcpAndByTheEnvironment, 3) {
  const std::string address = "127.0.0.1:" + std::to_string(free_port());
  distributed::init_process_group({.init_method = "tcp://" + address,
                                   .rank = test::rank(),
                                   .world_size = 3,
                                   .timeout = std::chrono::seconds(60)});
  distributed::barrier();
  distributed::destroy_process_group();
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", std::to_string(free_port() + 1).c_str(), 1);
  setenv("RANK", std::to_string(test::rank()).c_str(), 1);
  setenv("WORLD_SIZE", "3", 1);
  distributed::init_process_group({.timeout = std::chrono::seconds(60)});
  const Tensor x = ones({1});
  distributed::all_reduce(x);
  EXPECT_EQ(x.item<float>(), 3);
  distributed::destroy_process_group();
}

RANKS_TEST(Rendezvous, InTheFolderThatLecternRunNames, 2) {
  setenv(distributed::kRendezvousVariable, (test::meeting_folder() + "/run").c_str(), 1);
  setenv("RANK", std::to_string(test::rank()).c_str(), 1);
  setenv("WORLD_SIZE", "2", 1);
  for (int meeting = 0; meeting < 2; ++meeting) {
    distributed::init_process_group();
    const Tensor x = ones({1});
    distributed::all_reduce(x);
    EXPECT_EQ(x.item<float>(), 2);
    distributed::destroy_process_group();
  }
}

TEST(Rendezvous, AFolderKeepsWhatElseIsInIt) {
  const test::TemporaryFolder folder;
  write_file(folder / "own", "text");
  distributed::init_process_group(
      {.init_method = "file://" + folder.path().string(), .rank = 0, .world_size = 1});
  distributed::destroy_process_group();
  EXPECT_EQ(files_below(folder.path()), std::set<std::filesystem::path>{"own"});
}

TEST(Rendezvous, ADefaultTimeoutIsOfTheEnvironment) {
  EXPECT_EQ(distributed::default_timeout(), std::chrono::minutes(30));
  setenv(distributed::kTimeoutVariable, "1.5", 1);
  EXPECT_EQ(distributed::ProcessGroupOptions().timeout, std::chrono::milliseconds(1500));
  for (const char* wrong : {"0", "-1", "soon", "inf", "1s"}) {
    setenv(distributed::kTimeoutVariable, wrong, 1);
    EXPECT_PROBLEM(distributed::default_timeout(), "must be a number of seconds");
  }
  unsetenv(distributed::kTimeoutVariable);
}

std::vector<distributed::CollectiveCall>& seen_calls() {
  static std::vector<distributed::CollectiveCall> calls;
  return calls;
}

RANKS_TEST(Observer, SeesWhatAllSidesNumberAlike, 2) {
  distributed::collective_observer = [](const distributed::CollectiveCall& call) {
    seen_calls().push_back(call);
    seen_calls().back().name = {};
  };
  test::join();
  const Tensor x = ones({3});
  distributed::all_reduce(x);
  const distributed::Group pair = distributed::new_group({1, 0});
  distributed::broadcast(x, 0, {.group = pair});
  const int rank = test::rank();
  rank == 0 ? distributed::send(x, 1) : distributed::recv(x, 0);
  distributed::collective_observer = nullptr;
  ASSERT_EQ(seen_calls().size(), 5U);
  const auto& calls = seen_calls();
  EXPECT_LT(calls[0].sequence, calls[1].sequence);
  EXPECT_EQ(calls[1].sent, 12);
  EXPECT_EQ(calls[3].group, 1U);
  EXPECT_EQ(calls[4].from, 0);
  EXPECT_EQ(calls[4].to, 1);
  EXPECT_EQ(calls[4].sent, rank == 0 ? 12 : 0);
  // What the other one numbered.
  Tensor numbers = zeros({5}, {.dtype = int64}), others = zeros({5}, {.dtype = int64});
  for (int i = 0; i < 5; ++i)
    numbers[i] = static_cast<std::int64_t>(calls[static_cast<std::size_t>(i)].sequence);
  others.copy_(numbers);
  distributed::broadcast(others, 0);
  EXPECT_TRUE(equal(numbers, others));
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
