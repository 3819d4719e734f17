// distributed_bench RANK RANKS PORT: how long all_reduce takes, for distributed.py, which starts all ranks.
// Rank 0 prints "BYTES SECONDS", the median of several. distributed_bench RANK RANKS PORT train: the same of
// a step of a small GPT, of whose batch of 8 each rank has a part; rank 0 prints "TOKENS SECONDS".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "distributed/collectives.h"
#include "distributed/data_parallel.h"
#include "nn/gpt.h"
#include "ops/random.h"
#include "optim/adam.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

/// The median of so many calls, after two that do not count.
double seconds_of(int repeats, const std::function<void()>& call) {
  std::vector<double> seconds;
  for (int i = -2; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i >= 0) seconds.push_back(taken.count());
  }
  std::ranges::sort(seconds);
  return seconds[seconds.size() / 2];
}

void print(std::int64_t size, double seconds) {
  if (distributed::get_rank() == 0) std::printf("%lld %.9f\n", static_cast<long long>(size), seconds);
}

void time_all_reduce() {
  for (std::int64_t bytes = 1 << 10; bytes <= 64 << 20; bytes *= 4) {
    const Tensor x = ones({bytes / 4});
    const int repeats = bytes < 1 << 20 ? 200 : bytes < 16 << 20 ? 30 : 8;
    print(bytes, seconds_of(repeats, [&] { distributed::all_reduce(x, distributed::ReduceOp::max); }));
  }
}

/// The GPT of tensor_bench's gpt_step.
void time_training() {
  const nn::GPTConfig config{
      .vocab_size = 4096, .context_length = 256, .width = 256, .layers = 4, .heads = 4};
  const std::int64_t batch = 8, own = batch / distributed::get_world_size();
  nn::GPT model(config);
  const distributed::DistributedDataParallel ddp(model);
  optim::AdamW optimizer(model.parameters());
  const Tensor tokens = randint(config.vocab_size, {own, config.context_length});
  const Tensor targets = randint(config.vocab_size, {own, config.context_length});
  print(batch * config.context_length, seconds_of(10, [&] {
          optimizer.zero_grad();
          ddp.forward([&](const nn::GPT& gpt) { return gpt.loss(tokens, targets); }).backward();
          optimizer.step();
        }));
}

}  // namespace
}  // namespace lectern

int main(int count, char** arguments) {
  using namespace lectern;
  const bool trains = count == 5 && std::string_view(arguments[4]) == "train";
  if (count != 4 && !trains) return 2;
  distributed::init_process_group({.init_method = "tcp://127.0.0.1:" + std::string(arguments[3]),
                                   .rank = std::atoi(arguments[1]),
                                   .world_size = std::atoi(arguments[2])});
  trains ? time_training() : time_all_reduce();
  distributed::destroy_process_group();
}
