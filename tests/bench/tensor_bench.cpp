// The speed of the tensor operations on the CPU: tensor_bench THREADS [FILTER]. Prints one line of JSON for
// each case whose name contains FILTER: the median time of a call, and the bytes and floating-point
// operations that it counts. The cases of torch_bench.py have the same names and the same tensors. `./lectern
// bench` runs both and compares.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "device/counters.h"
#include "device/threads.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/sum.h"

namespace lectern {
namespace {

// As torch.utils.benchmark measures: blocks of calls, each block long enough that reading the clock costs
// nothing; the median of the blocks.
constexpr double kBlockSeconds = 1e-3;
constexpr double kSeconds = 0.25;

struct Measured {
  double nanoseconds;
  Counters cost;
};

template <typename Function>
double seconds_of(std::int64_t calls, const Function& function) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < calls; ++i) function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <typename Function>
Measured measure(const Function& function) {
  const CountScope scope;
  function();
  const Counters cost = scope.counted();
  std::int64_t calls = 1;
  while (seconds_of(calls, function) < kBlockSeconds) calls *= 10;
  std::vector<double> blocks;
  for (double total = 0; total < kSeconds; total += blocks.back()) {
    blocks.push_back(seconds_of(calls, function));
  }
  const auto middle = blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2);
  std::nth_element(blocks.begin(), middle, blocks.end());
  return {1e9 * *middle / static_cast<double>(calls), cost};
}

struct Case {
  const char* name;
  const char* tensors;            ///< what it works on, for readers
  std::function<Measured()> run;  ///< makes the tensors, which live as long as it measures
  double bar_nanoseconds = 0;     ///< at most this long, where that is the aim; 0: as fast as PyTorch
};

/// `prepare` makes the tensors and returns the call to measure.
template <typename Prepare>
std::function<Measured()> timed(Prepare prepare) {
  return [prepare] { return measure(prepare()); };
}

std::function<Measured()> product(const Sizes& a, const Sizes& b) {
  return timed([=] { return [x = rand(a), y = rand(b)] { return matmul(x, y); }; });
}

std::function<Measured()> sum_over(const Sizes& dims) {
  return timed([=] { return [=, x = rand({4096, 4096})] { return x.sum(dims); }; });
}

constexpr std::int64_t kMany = 1 << 24;
constexpr double kSmallBar = 200, kViewBar = 60;

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"matmul_512", "[512, 512] @ [512, 512]", product({512, 512}, {512, 512})},
      {"matmul_1024", "[1024, 1024] @ [1024, 1024]", product({1024, 1024}, {1024, 1024})},
      {"matmul_2048", "[2048, 2048] @ [2048, 2048]", product({2048, 2048}, {2048, 2048})},
      {"matmul_batched", "[64, 256, 256] @ [64, 256, 256]", product({64, 256, 256}, {64, 256, 256})},
      {"add", "[16M] + [16M]",
       timed([] { return [x = rand({kMany}), y = rand({kMany})] { return x + y; }; })},
      {"add_", "[16M] += [16M]", timed([] { return [x = rand({kMany}), y = rand({kMany})] { x += y; }; })},
      {"add_strided", "[4096, 8192][:, ::2], both", timed([] {
         const auto columns = [] { return rand({4096, 8192}).slice(1, {}, {}, 2); };
         return [x = columns(), y = columns()] { return x + y; };
       })},
      {"add_transposed", "[4096, 4096] + [4096, 4096].t()", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096, 4096}).t()] { return x + y; };
       })},
      {"add_row", "[4096, 4096] + [4096]", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096})] { return x + y; };
       })},
      {"add_column", "[4096, 4096] + [4096, 1]", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096, 1})] { return x + y; };
       })},
      {"copy", "[16M]", timed([] { return [x = rand({kMany})] { return x.clone(); }; })},
      {"copy_transposed", "[4096, 4096].t()", timed([] {
         return [x = rand({4096, 4096}).t()] { return x.contiguous(); };
       })},
      {"sum", "[16M]", timed([] { return [x = rand({kMany})] { return x.sum(); }; })},
      {"sum_dim0", "[4096, 4096]", sum_over({0})},
      {"sum_dim1", "[4096, 4096]", sum_over({1})},
      {"exp", "[16M]", timed([] { return [x = rand({kMany})] { return x.exp(); }; })},
      {"to_bfloat16", "[16M]", timed([] { return [x = rand({kMany})] { return x.to(bfloat16); }; })},
      {"small_add", "[8] + [8]", timed([] { return [x = rand({8}), y = rand({8})] { return x + y; }; }),
       kSmallBar},
      {"small_add_", "[8] += [8]", timed([] { return [x = rand({8}), y = rand({8})] { x += y; }; }),
       kSmallBar},
      {"view_select", "[64, 64][0]", timed([] {
         return [x = rand({64, 64})] { return x[0]; };
       }),
       kViewBar},
      {"view_t", "[64, 64].t()", timed([] {
         return [x = rand({64, 64})] { return x.t(); };
       }),
       kViewBar},
      {"view_view", "[64, 64].view(4096)", timed([] {
         return [x = rand({64, 64})] { return x.view({4096}); };
       }),
       kViewBar},
  };
  return all;
}

int run(int threads, std::string_view filter) {
  set_num_threads(threads);
  bool any = false;
  for (const Case& one : cases()) {
    if (std::string_view(one.name).find(filter) == std::string_view::npos) continue;
    any = true;
    const auto [nanoseconds, cost] = one.run();
    std::printf(R"({"name":"%s","tensors":"%s","threads":%d,"ns":%.2f,"bytes":%lld,"flops":%lld,"bar_ns":%g})"
                "\n",
                one.name, one.tensors, threads, nanoseconds, static_cast<long long>(cost.bytes),
                static_cast<long long>(cost.flops), one.bar_nanoseconds);
    std::fflush(stdout);
  }
  if (any) return 0;
  std::string names;
  for (const Case& one : cases()) names += std::string(names.empty() ? "" : ", ") + one.name;
  std::fprintf(stderr, "no case's name contains `%s`; there are: %s\n", std::string(filter).c_str(),
               names.c_str());
  return 2;
}

}  // namespace
}  // namespace lectern

int main(int count, char** arguments) {
  const int threads = count == 2 || count == 3 ? std::atoi(arguments[1]) : 0;
  if (threads < 1) {
    std::fputs("usage: tensor_bench THREADS [FILTER]\n", stderr);
    return 2;
  }
  try {
    return lectern::run(threads, count == 3 ? arguments[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
