// The speed of the tensor operations, on the CPU or on the current GPU. Prints one line of JSON for each
// case: the median time of a call, and the bytes and floating-point operations that it counts. The cases of
// torch_bench.py have the same names and the same tensors. `./lectern bench` runs both and compares.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/arithmetic.h"
#include "bench/cases.h"
#include "device/cuda.h"
#include "device/threads.h"

namespace lectern::bench {
namespace {

constexpr int kFailed = 1, kWrongArguments = 2, kNoGpu = 3;

struct Arguments {
  int threads = 0;  ///< 0: on the GPU
  Scale scale;
  std::string filter;    ///< part of the names
  std::string only;      ///< the name of one case; empty: all with the filter in their names
  bool is_list = false;  ///< the names alone
};

void usage() {
  std::fputs(
      "usage: tensor_bench THREADS [FILTER | --case NAME]\n"
      "       tensor_bench [--tiny] cuda [FILTER | --case NAME]\n"
      "       tensor_bench --list THREADS|cuda\n"
      "Measures the cases whose names contain FILTER on that many threads, or on the GPU, or the one NAME.\n"
      "  --tiny   with tensors so small that all is over in a moment: whether they run\n"
      "  --list   prints the names and measures nothing\n"
      "Exit status: 0 done, 1 a case failed, 2 the arguments are wrong or name no case, 3 there is no GPU.\n",
      stderr);
}

/// Nothing when they make no sense.
std::optional<Arguments> read(std::vector<std::string> words) {
  Arguments result;
  const auto take = [&](const char* option) {
    if (words.empty() || words.front() != option) return false;
    words.erase(words.begin());
    return true;
  };
  while (!words.empty() && words.front().starts_with("--")) {
    const bool list = take("--list"), tiny = !list && take("--tiny");
    if (!list && !tiny) return {};
    result.is_list |= list;
    result.scale.tiny |= tiny;
  }
  if (words.empty()) return {};
  result.scale.gpu = take("cuda");
  if (!result.scale.gpu) {
    result.threads = std::atoi(words.front().c_str());
    if (result.threads < 1 || result.scale.tiny) return {};
    words.erase(words.begin());
  }
  if (take("--case")) {
    if (words.size() != 1) return {};
    result.only = words.front();
  } else if (words.size() == 1 && !result.is_list) {
    result.filter = words.front();
  } else if (!words.empty()) {
    return {};
  }
  return result;
}

/// On a GPU what matters most is first, should the time not be enough for all.
std::vector<Case> all_cases(const Scale& scale) {
  std::vector<std::vector<Case>> parts;
  if (scale.gpu) {
    parts = {cuda_ceilings(scale), cuda_layer_cases(scale), cuda_training_cases(scale),
             cuda_fused_cases(scale), cuda_cases(scale)};
  } else {
    parts = {cpu_cases(), cpu_layer_cases()};
  }
  parts.push_back(shared_cases(scale));
  parts.push_back(training_cases(scale));
  std::vector<Case> all;
  for (const std::vector<Case>& part : parts) all.insert(all.end(), part.begin(), part.end());
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

void print_common(const Case& one, const Measured& measured) {
  std::printf(R"({"name":"%s","tensors":"%s","ns":%.2f,"bytes":%lld,"flops":%lld,)", one.name.c_str(),
              one.tensors.c_str(), measured.nanoseconds, static_cast<long long>(measured.cost.bytes),
              static_cast<long long>(measured.cost.flops));
}

void print_on_cpu(const Case& one, const Measured& measured, int threads) {
  const double copy = one.copy_bar > 0 ? copy_nanoseconds(measured.cost.bytes) : 0;
  const double arithmetic = one.multiply_adds > 0 ? multiply_add_nanoseconds(one.multiply_adds) : 0;
  print_common(one, measured);
  std::printf(
      R"("threads":%d,"bar_ns":%g,"faster":%g,"copy_ns":%.2f,"arithmetic_ns":%.2f,"copy_bar":%g,"obstacle":"%s"})"
      "\n",
      threads, one.bar_nanoseconds, one.faster, copy, arithmetic, one.copy_bar, one.obstacle.c_str());
}

void print_on_gpu(const Case& one, const Measured& measured) {
  Counters cost = measured.cost;
  cost.bytes += one.skipped_bytes;
  const Limit limit = limit_of(cost, one.unit, one.bound, cuda::get_device_properties().name);
  print_common(one, measured);
  std::printf(R"("limit_ns":%.2f,"limited_by":"%s","limit_of":"%s","known":"%s"})"
              "\n",
              limit.nanoseconds, limit.by, limit.gpu, one.known.c_str());
}

int run(const Arguments& arguments) {
  bool any = false;
  std::string names;
  for (const Case& one : all_cases(arguments.scale)) {
    names += (names.empty() ? "" : ", ") + one.name;
    const bool is_asked_for = arguments.only.empty() ? one.name.find(arguments.filter) != std::string::npos
                                                     : one.name == arguments.only;
    if (!is_asked_for) continue;
    any = true;
    const Measured measured = one.run();
    if (arguments.scale.gpu) {
      print_on_gpu(one, measured);
    } else {
      print_on_cpu(one, measured, arguments.threads);
    }
    std::fflush(stdout);
  }
  if (any) return 0;
  if (arguments.only.empty()) {
    std::fprintf(stderr, "no case's name contains `%s`; there are: %s\n", arguments.filter.c_str(),
                 names.c_str());
  } else {
    std::fprintf(stderr, "there is no case `%s`; there are: %s\n", arguments.only.c_str(), names.c_str());
  }
  return kWrongArguments;
}

int list(const Scale& scale) {
  for (const Case& one : all_cases(scale)) std::printf("%s\n", one.name.c_str());
  return 0;
}

int run_where(const Arguments& arguments) {
  if (!arguments.scale.gpu) {
    set_num_threads(arguments.threads);
    return run(arguments);
  }
  if (!cuda::is_available()) {
    std::fprintf(stderr, "there is no GPU here: %s\n", cuda::unavailable_reason().c_str());
    return kNoGpu;
  }
  set_default_device("cuda");
  if (arguments.scale.tiny) only_try();
  return run(arguments);
}

}  // namespace
}  // namespace lectern::bench

int main(int count, char** words) {
  using namespace lectern::bench;
  const auto arguments = read({words + 1, words + count});
  if (!arguments) {
    usage();
    return kWrongArguments;
  }
  try {
    return arguments->is_list ? list(arguments->scale) : run_where(*arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kFailed;
  }
}
