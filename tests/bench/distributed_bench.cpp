// distributed_bench RANK RANKS PORT: how long all_reduce takes, for distributed.py, which starts all ranks.
// Rank 0 prints "BYTES SECONDS", the median of several.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "distributed/collectives.h"
#include "tensor/creation.h"

int main(int count, char** arguments) {
  using namespace lectern;
  if (count != 4) return 2;
  const int rank = std::atoi(arguments[1]);
  distributed::init_process_group({.init_method = "tcp://127.0.0.1:" + std::string(arguments[3]),
                                   .rank = rank,
                                   .world_size = std::atoi(arguments[2])});
  for (std::int64_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 4) {
    const Tensor x = ones({bytes / 4});
    const int repeats = bytes < 1 << 20 ? 200 : bytes < 16 << 20 ? 30 : 8;
    std::vector<double> seconds;
    for (int i = -2; i < repeats; ++i) {
      const auto start = std::chrono::steady_clock::now();
      distributed::all_reduce(x, distributed::ReduceOp::max);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (i >= 0) seconds.push_back(taken.count());
    }
    std::ranges::sort(seconds);
    if (rank == 0) std::printf("%lld %.9f\n", static_cast<long long>(bytes), seconds[seconds.size() / 2]);
  }
  distributed::destroy_process_group();
}
