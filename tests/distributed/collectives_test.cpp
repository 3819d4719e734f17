#include "distributed/collectives.h"

#include <cmath>

#include <gtest/gtest.h>

#include "accounting/parallelism.h"
#include "accounting/scope.h"
#include "distributed/ranks.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using distributed::ReduceOp;
using test::filled;
using test::ranks;

constexpr ReduceOp kOps[] = {ReduceOp::sum, ReduceOp::avg, ReduceOp::product, ReduceOp::min, ReduceOp::max};

/// Of one element of each rank, in the order of ranks.
double reduced(ReduceOp op, Dtype dtype, const std::vector<double>& values) {
  double result = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double next = values[i];
    if (op == ReduceOp::sum || op == ReduceOp::avg) result += next;
    if (op == ReduceOp::product) result *= next;
    if (op == ReduceOp::min) result = std::min(result, next);
    if (op == ReduceOp::max) result = std::max(result, next);
  }
  const auto n = static_cast<double>(values.size());
  if (op == ReduceOp::avg)
    result = dtype == float64 ? result / n : static_cast<float>(result) / static_cast<float>(n);
  if (dtype == bool_) return result != 0 ? 1 : 0;
  return test::rounded(result, dtype);
}

/// All ranks' tensors of a test, made by each of them.
std::vector<Tensor> everybodys(const Sizes& sizes, Dtype dtype, unsigned seed = 0) {
  std::vector<Tensor> tensors;
  for (int r = 0; r < ranks(); ++r)
    tensors.push_back(filled(sizes, dtype, seed + static_cast<unsigned>(r) + 1));
  return tensors;
}

void expect_reduced(const Tensor& got, ReduceOp op, const std::vector<Tensor>& inputs) {
  test::for_each_index(got.sizes(), [&](const Sizes& index) {
    std::vector<double> values;
    for (const Tensor& input : inputs) values.push_back(test::number(input, index));
    EXPECT_EQ(test::number(got, index), reduced(op, got.dtype(), values)) << got.dtype() << " " << int(op);
  });
}

bool is_refused(ReduceOp op, Dtype dtype) {
  return op == ReduceOp::avg && !is_floating_point(dtype);
}

/// This rank's tensor, in a layout that can be written to.
Tensor own_of(const std::vector<Tensor>& tensors, unsigned layout) {
  const Tensor own = tensors[static_cast<std::size_t>(test::rank())];
  const auto make = [](const Sizes& sizes, Dtype dtype) { return filled(sizes, dtype); };
  const Tensor made = test::laid_out(layout, own.sizes(), own.dtype(), make).tensor;
  made.copy_(own);
  return made;
}

RANKS_TEST(Collectives, ReduceEveryDtypeInEveryLayout, 3) {
  test::join();
  for (const Dtype dtype : test::kAllDtypes) {
    for (const ReduceOp op : kOps) {
      if (is_refused(op, dtype)) continue;
      for (unsigned layout = 0; layout < 3; ++layout) {
        const std::vector<Tensor> inputs = everybodys({3, 5}, dtype, layout);
        const Tensor tensor = own_of(inputs, layout), other = own_of(inputs, layout);
        distributed::all_reduce(tensor, op);
        expect_reduced(tensor, op, inputs);
        distributed::reduce(other, 1, op);
        if (test::rank() == 1) expect_reduced(other, op, inputs);
        if (test::rank() != 1) {
          EXPECT_TRUE(test::same_bits(other.contiguous(), inputs[size_t(test::rank())]));
        }
      }
    }
    const Tensor output = own_of(everybodys({2, 2}, dtype), 2);
    std::vector<Tensor> inputs;
    for (int to = 0; to < ranks(); ++to)
      inputs.push_back(own_of(everybodys({2, 2}, dtype, unsigned(7 * to)), 1));
    distributed::reduce_scatter(output, inputs);
    expect_reduced(output, ReduceOp::sum, everybodys({2, 2}, dtype, unsigned(7 * test::rank())));
  }
  EXPECT_PROBLEM(distributed::all_reduce(filled({2}, int32), ReduceOp::avg),
                 "all_reduce: the average must be of floating-point numbers, not int32");
  distributed::destroy_process_group();
}

RANKS_TEST(Collectives, SumManyPartsInTheOrderOfRanks, 4) {
  test::join();
  for (const std::int64_t numel : {std::int64_t(1), std::int64_t(2), std::int64_t(5), std::int64_t(700001)}) {
    Tensor sum;
    for (unsigned r = 0; r < 4; ++r) {
      const Tensor next = test::uniform({numel}, float32, r);
      sum = sum.defined() ? sum + next : next;
    }
    const Tensor tensor = test::uniform({numel}, float32, unsigned(test::rank()));
    distributed::all_reduce(tensor);
    EXPECT_TRUE(test::same_bits(tensor, sum)) << numel;
  }
  distributed::destroy_process_group();
}

RANKS_TEST(Collectives, MoveEveryDtypeInEveryLayout, 3) {
  test::join();
  const int rank = test::rank();
  const auto at = static_cast<std::size_t>(rank);
  for (const Dtype dtype : test::kAllDtypes) {
    for (unsigned layout = 0; layout < 3; ++layout) {
      const std::vector<Tensor> inputs = everybodys({2, 3}, dtype, layout);
      const auto outputs = [&] {
        std::vector<Tensor> made;
        for (int r = 0; r < 3; ++r) made.push_back(own_of(everybodys({2, 3}, dtype, 99), layout));
        return made;
      };
      const auto expect_all = [&](const std::vector<Tensor>& got) {
        for (std::size_t r = 0; r < 3; ++r)
          EXPECT_TRUE(test::same_bits(got[r].contiguous(), inputs[r])) << dtype;
      };
      const Tensor received = own_of(inputs, layout);
      distributed::broadcast(received, 2);
      EXPECT_TRUE(test::same_bits(received.contiguous(), inputs[2]));
      const std::vector<Tensor> all = outputs();
      distributed::all_gather(all, own_of(inputs, layout));
      expect_all(all);
      const std::vector<Tensor> gathered = rank == 1 ? outputs() : std::vector<Tensor>();
      distributed::gather(own_of(inputs, layout), gathered, 1);
      if (rank == 1) expect_all(gathered);
      const Tensor scattered = own_of(everybodys({2, 3}, dtype, 99), layout);
      distributed::scatter(scattered, rank == 0 ? inputs : std::vector<Tensor>(), 0);
      EXPECT_TRUE(test::same_bits(scattered.contiguous(), inputs[at]));
      const std::vector<Tensor> exchanged = outputs();
      distributed::all_to_all(exchanged, std::vector<Tensor>(3, own_of(inputs, layout)));
      expect_all(exchanged);
    }
  }
  distributed::destroy_process_group();
}

RANKS_TEST(Collectives, OfOneTensorForAllRanks, 3) {
  test::join();
  const int rank = test::rank();
  const Tensor own = full({2, 2}, 1. * rank), joined = zeros({6, 2}), stacked = zeros({3, 2, 2});
  distributed::all_gather_into_tensor(joined, own);
  distributed::all_gather_into_tensor(stacked, own);
  EXPECT_TRUE(joined.view({3, 2, 2}).equal(stacked));
  EXPECT_EQ(joined[5][1].item<float>(), 2);
  distributed::reduce_scatter_tensor(own, joined);
  EXPECT_TRUE(own.equal(full({2, 2}, 3. * rank)));
  EXPECT_PROBLEM(distributed::all_gather_into_tensor(zeros({5, 2}), own),
                 "must be float32 [6, 2] or [3, 2, 2], not float32 [5, 2]");
  // Rank r sends r + 1 rows to rank 0, none to rank 1, one to rank 2.
  const Tensor input = full({rank + 2, 2}, 1. * rank), output = zeros({rank == 0 ? 6 : rank == 1 ? 0 : 3, 2});
  const std::vector<std::int64_t> received = rank == 0   ? std::vector<std::int64_t>{1, 2, 3}
                                             : rank == 1 ? std::vector<std::int64_t>{0, 0, 0}
                                                         : std::vector<std::int64_t>{1, 1, 1};
  distributed::all_to_all_single(output, input, received, {rank + 1, 0, 1});
  if (rank == 0) {
    EXPECT_TRUE(output.select(1, 0).equal(tensor({0., 1, 1, 2, 2, 2})));
  }
  if (rank == 2) {
    EXPECT_TRUE(output.select(1, 1).equal(tensor({0., 1, 2})));
  }
  EXPECT_PROBLEM(distributed::all_to_all_single(zeros({3}), zeros({4})), "which 3 ranks can't divide evenly");
  distributed::destroy_process_group();
}

RANKS_TEST(Collectives, OfEmptyTensors, 2) {
  test::join();
  const Tensor empty = zeros({0, 3}), number = full({}, 1. * test::rank());
  distributed::all_reduce(empty);
  distributed::broadcast(empty, 1);
  distributed::all_gather({empty, zeros({0, 3})}, empty);
  distributed::reduce_scatter(empty, {empty, empty});
  distributed::all_reduce(number);
  EXPECT_EQ(number.item<float>(), 1);
  distributed::barrier();
  distributed::destroy_process_group();
}

RANKS_TEST(Collectives, DisagreementsNameBothRanks, 3) {
  test::join();
  const int rank = test::rank();
  const Tensor two = zeros({2}), three = zeros({3});
  for (int i = 0; i < 20; ++i) {  // two ranks agree, and have begun
    EXPECT_PROBLEM(distributed::all_reduce(rank == 1 ? three : two), "all_reduce: the ranks differ: rank ");
  }
  EXPECT_PROBLEM(distributed::all_reduce(rank == 1 ? three : two),
                 "rank 1 calls all_reduce(sum) of float32 [3]");
  EXPECT_PROBLEM(distributed::all_reduce(rank == 2 ? two : two.to(int64)), "of int64 [2]");
  EXPECT_PROBLEM(distributed::all_reduce(two, rank == 0 ? ReduceOp::min : ReduceOp::max), "all_reduce(min)");
  EXPECT_PROBLEM(distributed::broadcast(two, rank == 0 ? 1 : 0), "of float32 [2] from rank 1");
  EXPECT_PROBLEM(rank == 0 ? distributed::barrier() : distributed::all_reduce(two), "rank 0 calls barrier");
  const std::vector<Tensor> twos(3, two);
  std::vector<Tensor> outputs{zeros({2}), zeros({2}), zeros({2})};
  if (rank == 1) outputs[2] = zeros({4});
  EXPECT_EQ(test::error_of([&] { distributed::all_to_all(outputs, twos); }),
            "all_to_all: rank 2 sends float32 [2] to rank 1, which expects float32 [4]");
  const Tensor after = full({}, 1.);
  distributed::all_reduce(after);
  EXPECT_EQ(after.item<float>(), 3);
  distributed::destroy_process_group();
}

TEST(Collectives, WrongArguments) {
  const test::TemporaryFolder folder;
  EXPECT_PROBLEM(distributed::all_reduce(zeros({2})), "all_reduce: there is no process group");
  distributed::init_process_group(
      {.init_method = "file://" + (folder / "meeting").string(), .rank = 0, .world_size = 1});
  const Tensor x = full({2}, 5.);
  distributed::all_reduce(x, ReduceOp::avg);
  EXPECT_TRUE(x.equal(full({2}, 5.)));
  const Tensor output = zeros({2});
  distributed::reduce_scatter(output, {x});
  distributed::all_gather({output}, x);
  EXPECT_TRUE(output.equal(x));
  EXPECT_PROBLEM(distributed::all_reduce(Tensor()), "all_reduce: a tensor is undefined");
  EXPECT_PROBLEM(distributed::broadcast(zeros({1}).expand({3}), 0), "broadcast");
  EXPECT_PROBLEM(distributed::broadcast(x, 1), "broadcast: rank 1 is not in the group");
  EXPECT_PROBLEM(distributed::all_gather({x, x}, x), "the outputs must be as many as ranks, 1, not 2");
  EXPECT_PROBLEM(distributed::all_gather({zeros({3})}, x),
                 "must be float32 [2], like the tensor, not float32 [3]");
  EXPECT_PROBLEM(distributed::send(x, 0), "a rank can't send to itself");
  EXPECT_PROBLEM(distributed::init_process_group(), "there is a process group already");
  distributed::destroy_process_group();
  EXPECT_PROBLEM(distributed::get_rank(), "get_rank: there is no process group");
}

RANKS_TEST(Collectives, AsynchronousOnesReturnAHandle, 2) {
  test::join();
  const int rank = test::rank();
  const Tensor a = full({1000}, 1. * rank), b = full({3, 2}, 1. * rank).t();
  const distributed::Work first = distributed::all_reduce(a, ReduceOp::sum, {.async_op = true});
  const distributed::Work second = distributed::broadcast(b, 1, {.async_op = true});
  second.wait();
  EXPECT_TRUE(first.is_completed());
  first.wait();
  second.wait();
  EXPECT_TRUE(a.equal(ones({1000})));
  EXPECT_TRUE(b.equal(ones({2, 3})));
  const auto failed = distributed::all_reduce(zeros({2 + rank}), ReduceOp::sum, {.async_op = true});
  EXPECT_PROBLEM(failed.wait(), "the ranks differ");
  EXPECT_PROBLEM(failed.wait(), "the ranks differ");
  distributed::destroy_process_group();
}

RANKS_TEST(Collectives, WhatTheyMoveIsCountedAsByTheFormulas, 4) {
  test::join();
  const Tensor whole = zeros({400, 100}), part = zeros({100, 100}), small = zeros({40, 10});
  const auto expect_moved = [](double sent, double received, const auto& call) {
    const accounting::Scope scope;
    call();
    const CommunicationCounters moved = scope.cost().communication;
    EXPECT_EQ(moved.calls, 1);
    EXPECT_EQ(static_cast<double>(moved.sent), sent);
    EXPECT_EQ(static_cast<double>(moved.received), received);
  };
  const double ring = accounting::all_reduce_bytes(160000, 4),
               share = accounting::all_gather_bytes(160000, 4);
  expect_moved(ring, ring, [&] { distributed::all_reduce(whole); });
  expect_moved(share, share, [&] { distributed::all_gather_into_tensor(whole, part); });
  expect_moved(share, share, [&] { distributed::reduce_scatter_tensor(part, whole); });
  expect_moved(share, share, [&] { distributed::all_to_all_single(whole.clone(), whole); });
  expect_moved(4800, 4800, [&] { distributed::all_reduce(small); });
  const bool is_root = test::rank() == 0;
  expect_moved(is_root ? 4800 : 0, is_root ? 0 : 1600, [&] { distributed::broadcast(small, 0); });
  expect_moved(is_root ? 0 : 1600, is_root ? 4800 : 0, [&] { distributed::reduce(small, 0); });
  expect_moved(0, 0, [&] { distributed::barrier(); });
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
