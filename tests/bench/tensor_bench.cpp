// The speed of the tensor operations: tensor_bench THREADS|cuda [FILTER], on the CPU or on the current GPU.
// Prints one line of JSON for each case whose name contains FILTER: the median time of a call, and the bytes
// and floating-point operations that it counts. On the CPU the cases of torch_bench.py have the same names
// and the same tensors. `./lectern bench` runs both and compares.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/arithmetic.h"
#include "bench/cases.h"
#include "device/threads.h"

namespace lectern::bench {
namespace {

std::vector<Case> cases() {
  std::vector<Case> all = default_device().is_cuda() ? cuda_cases() : cpu_cases();
  for (std::vector<Case> more : {shared_cases(), training_cases()})
    std::move(more.begin(), more.end(), std::back_inserter(all));
  return all;
}

/// What a copy takes that reads and writes as many bytes: a part of one whose source is no smaller than the
/// tensors of the cases, which are too large for the caches.
double copy_nanoseconds(std::int64_t bytes) {
  static std::map<std::int64_t, double> known;
  const std::int64_t copied = std::max(bytes, 2 * kMany * element_size(float32));
  const auto [found, is_new] = known.try_emplace(copied);
  if (is_new) found->second = copying(copied / (2 * element_size(float32)))().nanoseconds;
  return found->second * static_cast<double>(bytes) / static_cast<double>(copied);
}

/// `threads` is 0 on a GPU.
int run(int threads, std::string_view filter) {
  bool any = false;
  for (const Case& one : cases()) {
    if (one.name.find(filter) == std::string::npos) continue;
    any = true;
    const auto [nanoseconds, cost] = one.run();
    const double copy = one.copy_bar > 0 ? copy_nanoseconds(cost.bytes) : 0;
    const double arithmetic =
        threads > 0 && one.multiply_adds > 0 ? multiply_add_nanoseconds(one.multiply_adds) : 0;
    std::printf(
        R"({"name":"%s","tensors":"%s","threads":%d,"ns":%.2f,"bytes":%lld,"flops":%lld,)"
        R"("bar_ns":%g,"faster":%g,"copy_ns":%.2f,"arithmetic_ns":%.2f,"copy_bar":%g,"known":"%s","obstacle":"%s"})"
        "\n",
        one.name.c_str(), one.tensors.c_str(), threads, nanoseconds, static_cast<long long>(cost.bytes),
        static_cast<long long>(cost.flops), one.bar_nanoseconds, one.faster, copy, arithmetic, one.copy_bar,
        one.known.c_str(), one.obstacle.c_str());
    std::fflush(stdout);
  }
  if (any) return 0;
  std::string names;
  for (const Case& one : cases()) names += (names.empty() ? "" : ", ") + one.name;
  std::fprintf(stderr, "no case's name contains `%s`; there are: %s\n", std::string(filter).c_str(),
               names.c_str());
  return 2;
}

}  // namespace
}  // namespace lectern::bench

int main(int count, char** arguments) {
  const std::string_view where = count == 2 || count == 3 ? arguments[1] : "";
  const int threads = std::atoi(std::string(where).c_str());
  if (where != "cuda" && threads < 1) {
    std::fputs("usage: tensor_bench THREADS|cuda [FILTER]\n", stderr);
    return 2;
  }
  try {
    if (where == "cuda") {
      lectern::set_default_device("cuda");
    } else {
      lectern::set_num_threads(threads);
    }
    return lectern::bench::run(threads, count == 3 ? arguments[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
