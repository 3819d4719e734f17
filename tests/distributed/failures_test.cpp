// What goes wrong between processes, and what the others say.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "distributed/collectives.h"
#include "distributed/ranks.h"
#include "distributed/socket.h"
#include "ops/expect_error.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

distributed::ProcessGroupOptions meeting(int rank, int world_size, milliseconds timeout) {
  return {.init_method = "file://" + test::meeting_folder(),
          .rank = rank,
          .world_size = world_size,
          .timeout = timeout};
}

/// Collectives until one fails: what it says.
std::string last_words() {
  const Tensor x = ones({300000});
  const std::vector<Tensor> outputs(static_cast<std::size_t>(test::ranks()), x.clone());
  return test::error_of([&] {
    while (true) {
      distributed::all_reduce(x, distributed::ReduceOp::max);
      distributed::broadcast(x, 1);
      distributed::all_gather(outputs, x);
    }
  });
}

/// Rank 2 kills itself at a random moment; the others name it, and end.
void lose_rank_2() {
  test::join();
  if (test::rank() == 2) {
    std::thread([] {
      std::this_thread::sleep_for(milliseconds(std::random_device()() % 150));
      kill(getpid(), SIGKILL);
    }).detach();
    last_words();
    pause();
  }
  const std::string problem = last_words();
  EXPECT_NE(problem.find("rank 2 is gone: its process ended"), std::string::npos) << problem;
  EXPECT_PROBLEM(distributed::barrier(), "rank 2 is gone");
  distributed::destroy_process_group();
}

RANKS_TEST(Failures, AKilledRankIsNamedByTwoOthers, 3, {2, SIGKILL}) {
  lose_rank_2();
}

RANKS_TEST(Failures, AKilledRankIsNamedByFourOthers, 5, {2, SIGKILL}) {
  lose_rank_2();
}

RANKS_TEST(Failures, ARankThatHangsIsNamedAfterTheTimeout, 3, {1, SIGKILL}) {
  test::join(milliseconds(1500));
  distributed::barrier();
  const auto start = std::chrono::steady_clock::now();
  if (test::rank() == 1) {
    std::this_thread::sleep_for(seconds(6));
    kill(getpid(), SIGKILL);
  }
  EXPECT_PROBLEM(distributed::all_reduce(ones({3})), "all_reduce: rank 1 did not take part within 1.5 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
}

RANKS_TEST(Failures, ARankThatThrowsIsNamed, 3) {
  test::join();
  distributed::barrier();
  if (test::rank() == 0) _exit(0);  // as after an exception in main()
  EXPECT_PROBLEM(distributed::recv(zeros({1}), 0), "recv: rank 0 is gone");
}

RANKS_TEST(Failures, ARankThatWasGoneBeforeIsNamed, 3) {
  test::join();
  distributed::barrier();
  if (test::rank() == 0) _exit(0);
  std::this_thread::sleep_for(milliseconds(200));  // until its connections are known to be closed
  if (test::rank() == 1) EXPECT_PROBLEM(distributed::recv(zeros({1}), 0), "recv: rank 0 is gone");
  EXPECT_PROBLEM(distributed::all_reduce(zeros({1})), "all_reduce: rank 0 is gone");
}

RANKS_TEST(Failures, ARankThatLeavesIsNamed, 2) {
  test::join(seconds(2));
  distributed::barrier();
  if (test::rank() == 0) return distributed::destroy_process_group();
  EXPECT_PROBLEM(distributed::barrier(), "rank 0 is gone: it called destroy_process_group");
}

RANKS_TEST(Failures, AWrongWorldSizeIsNamed, 2) {
  EXPECT_PROBLEM(
      distributed::init_process_group(meeting(test::rank(), 2 + test::rank(), seconds(60))),
      test::rank() == 0 ? "rank 0 has world_size 2, rank 1 has 3" : "rank 1 has world_size 3, rank 0 has 2");
  EXPECT_FALSE(distributed::is_initialized());
}

RANKS_TEST(Failures, ARankTwice, 3) {
  const int rank = std::min(test::rank(), 1);
  const std::string problem =
      test::error_of([&] { distributed::init_process_group(meeting(rank, 3, seconds(2))); });
  const bool is_missing = problem.find("after 2 s these ranks of 3 are missing: 2") != std::string::npos;
  const bool is_taken = problem.find("rank 1 is taken, by process ") != std::string::npos;
  EXPECT_TRUE(is_missing || (rank == 1 && is_taken)) << problem;
}

TEST(Failures, WrongArgumentsOfInit) {
  const auto expect = [](const distributed::ProcessGroupOptions& options, const char* problem) {
    EXPECT_PROBLEM(distributed::init_process_group(options), problem);
  };
  expect({.init_method = "tcp://127.0.0.1:29500", .rank = 2, .world_size = 2},
         "rank must be from 0 to 1, not 2");
  expect({.init_method = "tcp://127.0.0.1:29500", .rank = 0, .world_size = 0},
         "world_size must be positive, not 0");
  expect({.init_method = "tcp://127.0.0.1", .rank = 0, .world_size = 1},
         "init_method must be tcp://HOST:PORT");
  expect({.init_method = "udp://", .rank = 0, .world_size = 1}, "file:///FOLDER, tcp://HOST:PORT or env://");
  expect({.init_method = "env://", .rank = 0, .world_size = 1}, "$MASTER_ADDR is not set");
  expect({.init_method = "file:///proc/self/status", .rank = 0, .world_size = 1}, "can't make the folder");
}

TEST(Failures, AnAddressInUse) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  const std::string method = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  EXPECT_PROBLEM(distributed::init_process_group({.init_method = method, .rank = 0, .world_size = 1}),
                 "Address already in use; choose another port");
  close(listener);
  EXPECT_PROBLEM(distributed::init_process_group(
                     {.init_method = method, .rank = 1, .world_size = 2, .timeout = milliseconds(50)}),
                 "nobody answers at 127.0.0.1:");
}

TEST(Failures, ASignalDoesNotEndARendezvous) {
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  const auto listener = distributed::Socket::listening("127.0.0.1", 0);
  sockaddr_in address{};
  socklen_t length = sizeof address;
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), &length);
  const auto sender = distributed::Socket::connected("127.0.0.1", ntohs(address.sin_port),
                                                     distributed::Clock::now() + seconds(5));
  const auto receiver = listener.accept();
  std::thread signals([&, waiting = pthread_self()] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(milliseconds(5));
      pthread_kill(waiting, SIGUSR1);
    }
    EXPECT_TRUE(sender.send("value"));
  });
  EXPECT_EQ(receiver.receive(), "value");
  signals.join();
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace lectern
