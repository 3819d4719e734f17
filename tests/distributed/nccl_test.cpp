// Collectives of CUDA tensors, with a fake NCCL on fake GPUs.
#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "accounting/scope.h"
#include "device/copy.h"
#include "distributed/collectives.h"
#include "distributed/gpu_of_rank.h"
#include "distributed/ranks.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using distributed::ReduceOp;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::GpuOfRank;

/// Of this rank: a small number in every element, which every dtype holds.
Tensor of_rank(int rank, const Sizes& sizes, Dtype dtype) {
  return full(sizes, dtype == bool_ ? rank % 2 : rank + 1, {.dtype = dtype});
}

RANKS_TEST(Nccl, ReducesEveryDtypeThatItHas, 3) {
  const GpuOfRank gpu;
  test::join();
  const int rank = test::rank();
  for (const Dtype dtype : test::kAllDtypes) {
    const Tensor x = gpu.on_gpu(of_rank(rank, {5}, dtype));
    if (dtype == int16 || dtype == float8_e4m3fn || dtype == float8_e5m2) {
      EXPECT_PROBLEM(distributed::all_reduce(x), "all_reduce: NCCL does not reduce ");
      continue;
    }
    const bool is_bool = dtype == bool_;
    const auto number = [&](const Tensor& from) { return test::number(gpu.read(from), {4}); };
    distributed::all_reduce(x);
    EXPECT_EQ(number(x), is_bool ? 1 : 6) << dtype;
    const Tensor least = gpu.on_gpu(of_rank(rank, {5}, dtype));
    distributed::all_reduce(least, ReduceOp::min);
    EXPECT_EQ(number(least), is_bool ? 0 : 1) << dtype;
    const Tensor product = gpu.on_gpu(of_rank(rank, {5}, dtype));
    distributed::reduce(product, 1, ReduceOp::product);
    EXPECT_EQ(number(product), rank == 1 ? (is_bool ? 0 : 6) : test::number(of_rank(rank, {5}, dtype), {4}));
    if (is_floating_point(dtype)) {
      distributed::all_reduce(x, ReduceOp::avg);
      EXPECT_EQ(number(x), 6) << dtype;
    }
  }
  EXPECT_PROBLEM(distributed::all_reduce(gpu.on_gpu(zeros({2}, {.dtype = int32})), ReduceOp::avg),
                 "the average must be of floating-point numbers");
  distributed::destroy_process_group();
  EXPECT_EQ(gpu.nccl().destroyed, 1);
  EXPECT_EQ(gpu.nccl().aborted, 0);
}

RANKS_TEST(Nccl, MovesEveryDtype, 3) {
  const GpuOfRank gpu;
  test::join();
  const int rank = test::rank();
  for (const Dtype dtype : test::kAllDtypes) {
    const auto own = [&] { return gpu.on_gpu(of_rank(rank, {2, 3}, dtype)); };
    const auto outputs = [&] {
      std::vector<Tensor> made;
      for (int r = 0; r < 3; ++r) made.push_back(gpu.on_gpu(zeros({2, 3}, {.dtype = dtype})));
      return made;
    };
    const auto expect_from = [&](const Tensor& got, int from) {
      EXPECT_TRUE(test::same_bits(gpu.read(got), of_rank(from, {2, 3}, dtype))) << dtype << " of " << from;
    };
    const auto expect_all = [&](const std::vector<Tensor>& got) {
      for (int r = 0; r < 3; ++r) expect_from(got[static_cast<std::size_t>(r)], r);
    };
    const Tensor received = own();
    distributed::broadcast(received, 2);
    expect_from(received, 2);
    const std::vector<Tensor> all = outputs();
    distributed::all_gather(all, own());
    expect_all(all);
    const Tensor stacked = gpu.on_gpu(zeros({3, 2, 3}, {.dtype = dtype}));
    distributed::all_gather_into_tensor(stacked, own());
    for (int r = 0; r < 3; ++r)
      EXPECT_TRUE(test::same_bits(gpu.read(stacked).select(0, r), of_rank(r, {2, 3}, dtype))) << dtype;
    const std::vector<Tensor> gathered = rank == 1 ? outputs() : std::vector<Tensor>();
    distributed::gather(own(), gathered, 1);
    if (rank == 1) expect_all(gathered);
    const Tensor scattered = gpu.on_gpu(zeros({2, 3}, {.dtype = dtype}));
    std::vector<Tensor> inputs;
    for (int r = 0; r < 3 && rank == 0; ++r) inputs.push_back(gpu.on_gpu(of_rank(r, {2, 3}, dtype)));
    distributed::scatter(scattered, inputs, 0);
    expect_from(scattered, rank);
    const std::vector<Tensor> exchanged = outputs();
    distributed::all_to_all(exchanged, std::vector<Tensor>(3, own()));
    expect_all(exchanged);
  }
  distributed::destroy_process_group();
}

RANKS_TEST(Nccl, ScattersSumsOfOneTensorAndOfMany, 2) {
  const GpuOfRank gpu;
  test::join();
  const int rank = test::rank();
  const Tensor output = gpu.on_gpu(zeros({3}));
  distributed::reduce_scatter_tensor(output, gpu.on_gpu(tensor({1., 2, 3, 4, 5, 6})));
  EXPECT_TRUE(gpu.read(output).equal(rank == 0 ? tensor({2., 4, 6}) : tensor({8., 10, 12})));
  const Tensor spare = gpu.on_gpu(zeros({100})), second = gpu.on_gpu(full({3}, 10.)),
               first = gpu.on_gpu(ones({3}));
  distributed::reduce_scatter(output, {first, second}, ReduceOp::avg);
  EXPECT_TRUE(gpu.read(output).equal(full({3}, rank == 0 ? 1. : 10.)));
  distributed::destroy_process_group();
}

RANKS_TEST(Nccl, ListsAreAdjacentOnOneRankOnly, 2) {
  const GpuOfRank gpu;
  test::join(milliseconds(10000));
  const int rank = test::rank(), second = rank == 0 ? 1 : 2;
  const Tensor rows = gpu.on_gpu(zeros({3, 2}));
  const std::vector<Tensor> list = {rows[0], rows[second]};
  const auto version = rows.storage().version();
  distributed::all_gather(list, gpu.on_gpu(full({2}, 1. + rank)));
  EXPECT_TRUE(gpu.read(rows[0]).equal(full({2}, 1.)));
  EXPECT_TRUE(gpu.read(rows[second]).equal(full({2}, 2.)));
  EXPECT_TRUE(gpu.read(rows[3 - second]).equal(zeros({2}))) << "it is not in the list";
  EXPECT_GT(rows.storage().version(), version);
  const Tensor sum = gpu.on_gpu(zeros({2}));
  distributed::reduce_scatter(sum, list);
  EXPECT_TRUE(gpu.read(sum).equal(full({2}, 2. + 2 * rank)));
  EXPECT_TRUE(gpu.read(rows[second]).equal(full({2}, 2.)));
  distributed::destroy_process_group();
}

RANKS_TEST(Nccl, ARankThatExchangesNothingIsConnectedToo, 3) {
  const GpuOfRank gpu;
  test::join(milliseconds(10000));
  const bool is_last = test::rank() == 2;
  const Tensor received = gpu.on_gpu(zeros({4})), sent = gpu.on_gpu(full({4}, 1. + test::rank()));
  const std::vector<std::int64_t> sizes =
      is_last ? std::vector<std::int64_t>{0, 0, 0} : std::vector<std::int64_t>{2, 2, 0};
  const auto part = [&](const Tensor& tensor) { return is_last ? tensor.narrow(0, 0, 0) : tensor; };
  distributed::all_to_all_single(part(received), part(sent), sizes, sizes);
  EXPECT_TRUE(gpu.read(received).equal(is_last ? zeros({4}) : tensor({1., 1, 2, 2})));
  distributed::destroy_process_group();
  EXPECT_EQ(gpu.nccl().destroyed, 1);
}

RANKS_TEST(Nccl, EmptyTensorsNeedNoGpu, 2) {
  const GpuOfRank gpu;
  test::join();
  const Tensor empty = gpu.on_gpu(zeros({0, 3})), one = gpu.on_gpu(ones({1}));
  distributed::all_reduce(empty);
  distributed::broadcast(empty, 1);
  distributed::all_gather({empty, empty}, empty);
  const std::vector<Tensor> some =
      test::rank() == 0 ? std::vector<Tensor>{empty, one} : std::vector<Tensor>{one, empty};
  EXPECT_PROBLEM(distributed::all_to_all(some, {empty, empty}),
                 "rank 0 sends float32 [0, 3] to rank 1, which expects float32 [1]");
  EXPECT_TRUE(gpu.finish());
  distributed::destroy_process_group();
  EXPECT_EQ(gpu.nccl().destroyed, 0) << "nothing was connected";
}

RANKS_TEST(Nccl, GroupsAndMessagesHaveConnectionsOfTheirOwn, 3) {
  const GpuOfRank gpu;
  test::join();
  const int rank = test::rank(), next = (rank + 1) % 3, before = (rank + 2) % 3;
  const distributed::Group pair = distributed::new_group({2, 0});
  if (pair != nullptr) {
    const Tensor x = gpu.on_gpu(full({4}, 1. + rank));
    distributed::all_reduce(x, ReduceOp::sum, {.group = pair});
    EXPECT_TRUE(gpu.read(x).equal(full({4}, 4.)));
  }
  // A ring in which all send first.
  const Tensor received = gpu.on_gpu(zeros({2})), again = gpu.on_gpu(zeros({2}));
  const distributed::Work sent = distributed::isend(gpu.on_gpu(full({2}, 1. * rank)), next);
  const distributed::Work second = distributed::isend(gpu.on_gpu(full({2}, 10. * rank)), next, nullptr, 3);
  distributed::recv(received, before);
  distributed::recv(again, before, nullptr, 3);
  sent.wait();
  second.wait();
  EXPECT_TRUE(gpu.read(received).equal(full({2}, 1. * before)));
  EXPECT_TRUE(gpu.read(again).equal(full({2}, 10. * before)));
  distributed::destroy_process_group();
}

/// That rank 0's send and rank 1's recv fail with this problem.
void expect_unmet(const Tensor& sent, int tag, const Tensor& received, int other_tag, const char* problem) {
  if (test::rank() == 0) EXPECT_PROBLEM(distributed::send(sent, 1, nullptr, tag), problem);
  if (test::rank() == 1) EXPECT_PROBLEM(distributed::recv(received, 0, nullptr, other_tag), problem);
}

RANKS_TEST(Nccl, MessagesThatDoNotFitNameBothRanks, 2) {
  const GpuOfRank gpu;
  test::join();
  const Tensor two = gpu.on_gpu(zeros({2})), three = gpu.on_gpu(zeros({3}));
  expect_unmet(two, 0, three, 0, "rank 0 sends float32 [2] to rank 1, which expects float32 [3]");
  // NCCL has no tags: in another order they would meet what they are not for.
  const char* const problem = "rank 0 calls send and recv on GPUs, the ";
  if (test::rank() == 0) {
    const auto first = distributed::isend(two, 1, nullptr, 1),
               second = distributed::isend(two, 1, nullptr, 2);
    EXPECT_PROBLEM(first.wait(), problem);
    EXPECT_PROBLEM(second.wait(), problem);
  } else {
    const auto second = distributed::irecv(two, 0, nullptr, 2),
               first = distributed::irecv(two, 0, nullptr, 1);
    EXPECT_PROBLEM(second.wait(), problem);
    EXPECT_PROBLEM(first.wait(), problem);
  }
  expect_unmet(two, 0, zeros({2}), 0,
               "the ranks differ: rank 0 calls send and recv on GPUs, the 4. from rank 0 to rank 1, rank 1 "
               "calls send and recv on the CPU");
  distributed::destroy_process_group();
}

RANKS_TEST(Nccl, DisagreementsNameBothRanks, 2) {
  const GpuOfRank gpu;
  test::join();
  const bool am_first = test::rank() == 0;
  const Tensor two = gpu.on_gpu(zeros({2})), three = gpu.on_gpu(zeros({3}));
  EXPECT_PROBLEM(distributed::all_reduce(am_first ? two : three),
                 "the ranks differ: rank 0 calls all_reduce(sum) of float32 [2] on GPUs, rank 1 calls "
                 "all_reduce(sum) of float32 [3] on GPUs");
  EXPECT_PROBLEM(distributed::broadcast(am_first ? two : zeros({2}), 0),
                 "rank 1 calls broadcast of float32 [2] from rank 0");
  EXPECT_PROBLEM(distributed::all_gather({two, zeros({2})}, two),
                 "the tensors must be on one device, not on cuda:0 and cpu");
  cuda::set_device(1);
  const Tensor elsewhere = gpu.on_gpu(zeros({2}));
  cuda::set_device(0);
  const Tensor ones_of_both = gpu.on_gpu(ones({2}));
  distributed::all_reduce(ones_of_both);
  EXPECT_TRUE(gpu.read(ones_of_both).equal(full({2}, 2.)));
  EXPECT_PROBLEM(distributed::all_reduce(elsewhere),
                 "this process takes part with the GPU cuda:0, and the tensor is on cuda:1");
  distributed::destroy_process_group();
}

RANKS_TEST(Nccl, StreamsWaitForEachOther, 2) {
  GpuOfRank gpu;
  test::join();
  const auto own = static_cast<float>(1 + test::rank());
  const Tensor x = gpu.on_gpu(full({1000}, own)), copy = gpu.on_gpu(zeros({1000}));
  EXPECT_TRUE(gpu.finish());
  gpu.close();  // as a long kernel that computes x
  const distributed::Work work = distributed::all_reduce(x, ReduceOp::sum, {.async_op = true});
  work.wait();  // the host goes on
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(static_cast<const float*>(x.data_ptr())[7], own) << "it did not wait for what computes x";
  cuda::enqueue_copy(copy.data_ptr(), x.data_ptr(), static_cast<std::size_t>(x.nbytes()));
  gpu.open();
  EXPECT_TRUE(gpu.read(copy).equal(full({1000}, 3.))) << "what comes after wait() did not wait for it";
  distributed::destroy_process_group();
}

RANKS_TEST(Nccl, MemoryIsNotUsedAgainBeforeTheCollectiveIsDone, 2) {
  GpuOfRank gpu;
  test::join();
  Tensor x = gpu.on_gpu(ones({5000}));
  const void* const place = x.data_ptr();
  distributed::all_reduce(x);
  EXPECT_TRUE(gpu.finish());
  gpu.close();
  distributed::all_reduce(x, ReduceOp::sum, {.async_op = true});
  distributed::barrier();  // NCCL has been asked, and the host is done with it
  x = Tensor();
  EXPECT_NE(gpu.on_gpu(zeros({5000})).data_ptr(), place);
  gpu.open();
  distributed::all_reduce(gpu.on_gpu(zeros({1})));
  EXPECT_TRUE(gpu.finish());
  EXPECT_EQ(gpu.on_gpu(zeros({5000})).data_ptr(), place) << "it was not for the collective";
  distributed::destroy_process_group();
}

RANKS_TEST(Nccl, WhatMovesIsCountedAsOnTheCpu, 2) {
  const GpuOfRank gpu;
  test::join();
  const Tensor x = zeros({40000}), there = gpu.on_gpu(x);
  const auto moved = [](const Tensor& tensor) {
    const accounting::Scope scope;
    distributed::all_reduce(tensor);
    distributed::broadcast(tensor, 1);
    return scope.cost().communication;
  };
  EXPECT_EQ(moved(there), moved(x));
  EXPECT_TRUE(gpu.finish());
  distributed::destroy_process_group();
}

RANKS_TEST(NcclFailures, AKilledRankEndsTheCollectivesOfTheOthers, 3, {2, SIGKILL}) {
  const GpuOfRank gpu;
  test::join();
  const Tensor x = gpu.on_gpu(ones({10}));
  distributed::all_reduce(x);
  EXPECT_TRUE(gpu.finish());
  gpu.nccl().hangs = true;
  distributed::all_reduce(x, ReduceOp::sum, {.async_op = true}).wait();
  if (test::rank() == 2) {
    std::this_thread::sleep_for(milliseconds(300));
    kill(getpid(), SIGKILL);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(gpu.finish()) << "it was not aborted";
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(5));
  const std::string problem = "all_reduce: rank 2 is gone: its process ended";
  EXPECT_PROBLEM(cuda::synchronize(), problem);
  EXPECT_PROBLEM(x.to(cpu), "its result, and all that was computed from it, is invalid");
  EXPECT_PROBLEM(distributed::all_reduce(x), "rank 2 is gone");
  EXPECT_EQ(gpu.nccl().aborted, 1);
  distributed::destroy_process_group();
  EXPECT_NO_THROW(cuda::synchronize());
}

RANKS_TEST(NcclFailures, ACollectiveThatHangsIsNamedAfterTheTimeout, 2) {
  const GpuOfRank gpu;
  test::join(milliseconds(1000));
  const Tensor x = gpu.on_gpu(ones({10}));
  gpu.nccl().hangs = true;
  const distributed::Work work = distributed::all_reduce(x, ReduceOp::sum, {.async_op = true});
  EXPECT_TRUE(gpu.finish());
  std::this_thread::sleep_for(milliseconds(2000));
  const std::string problem = "all_reduce: NCCL has not finished all_reduce within 1 s";
  EXPECT_PROBLEM(work.wait(), problem);
  EXPECT_PROBLEM(work.wait(), problem);
  EXPECT_PROBLEM(cuda::synchronize(), problem);
  EXPECT_PROBLEM(distributed::all_reduce(x), problem);
  EXPECT_EQ(gpu.nccl().aborted, 1);
  distributed::destroy_process_group();
}

RANKS_TEST(NcclFailures, ItsErrorsAreTold, 2) {
  const GpuOfRank gpu;
  test::join();
  const Tensor x = gpu.on_gpu(ones({10}));
  gpu.nccl().last_error = "Duplicate GPU detected";
  gpu.nccl().init_result = static_cast<nccl::Result>(5);
  EXPECT_PROBLEM(distributed::all_reduce(x),
                 "all_reduce: NCCL can't connect the ranks' GPUs: fake error (Duplicate GPU detected)");
  gpu.nccl().init_result = nccl::Result::success;
  gpu.nccl().id_result = test::rank() == 0 ? static_cast<nccl::Result>(2) : nccl::Result::success;
  EXPECT_PROBLEM(distributed::all_reduce(x), "rank 0 can't connect the GPUs: NCCL: fake error");
  gpu.nccl().id_result = nccl::Result::success;
  distributed::all_reduce(x);
  EXPECT_TRUE(gpu.finish());
  gpu.nccl().hangs = true;
  distributed::all_reduce(x, ReduceOp::sum, {.async_op = true}).wait();
  gpu.nccl().async_result = static_cast<nccl::Result>(6);
  EXPECT_TRUE(gpu.finish()) << "it was not aborted";
  EXPECT_PROBLEM(cuda::synchronize(), "all_reduce: NCCL: fake error");
  EXPECT_PROBLEM(distributed::all_reduce(x), "NCCL: fake error");
  distributed::destroy_process_group();
}

RANKS_TEST(NcclFailures, BackendsTakeTheirTensors, 2) {
  const distributed::ProcessGroupOptions options{.init_method = "file://" + test::meeting_folder(),
                                                 .rank = test::rank(),
                                                 .world_size = test::ranks(),
                                                 .timeout = seconds(60)};
  auto chosen = options;
  chosen.backend = "mpi";
  EXPECT_PROBLEM(distributed::init_process_group(chosen), "backend must be gloo, nccl or cpu:gloo,cuda:nccl");
  if (!cuda::is_available()) {
    chosen.backend = "nccl";
    EXPECT_PROBLEM(distributed::init_process_group(chosen),
                   "the backend nccl needs a GPU, and there is none");
  }
  const GpuOfRank gpu;
  for (const char* backend : {"gloo", "nccl", ""}) {
    chosen.backend = backend;
    distributed::init_process_group(chosen);
    EXPECT_EQ(distributed::get_backend(), *backend == '\0' ? "cpu:gloo,cuda:nccl" : backend);
    const Tensor x = ones({2}), there = gpu.on_gpu(x);
    distributed::all_reduce(x);
    EXPECT_TRUE(x.equal(full({2}, 2.)));
    if (*backend == 'g') {
      EXPECT_PROBLEM(distributed::all_reduce(there), "all_reduce: the backend of the process group is gloo");
      EXPECT_PROBLEM(distributed::isend(there, 1 - test::rank()), "send: the backend of the process group");
    } else {
      distributed::all_reduce(there);
      EXPECT_TRUE(gpu.read(there).equal(full({2}, 2.)));
    }
    distributed::destroy_process_group();
  }
  auto other = options;
  other.backend = test::rank() == 0 ? "gloo" : "nccl";
  EXPECT_PROBLEM(distributed::init_process_group(other),
                 "rank 0 calls init_process_group with the backend gloo");
}

}  // namespace
}  // namespace lectern
