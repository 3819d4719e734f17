// What the tools take for a large trace: reading it, comparing it with another run's, making its page. Beside
// reading stands nlohmann_json's parser on the same text, which gives a document and no trace.
//
// trace_tools [STEPS]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "base/files.h"
#include "check/diff.h"
#include "site/data.h"
#include "site/page.h"
#include "trace/decode.h"
#include "trace/reader.h"

namespace lectern {
namespace {

/// A loop that calls a function of 20 statements, each with an inspected number and a list. Of every
/// `changed`-th step the number is another one; 0: of none.
std::string trace_text(std::size_t steps, std::size_t changed) {
  std::string text =
      "{\"format\":\"lectern-trace/"
      "1\",\n\"lecture\":\"large\",\n\"profile\":{\"name\":\"cpu\",\"threads\":1},\n"
      "\"records\":[\n{\"source\":0,\"path\":\"large.cpp\",\"language\":\"cpp\",\"lines\":[\n\"int f(int x) "
      "{\"";
  for (int i = 0; i < 20; ++i) text += fmt::format(",\n\"  x += {};  // @inspect x\"", i);
  text +=
      ",\n\"}\",\n\"int main() {\",\n\"  for (;;) f(1);\",\n\"}\"]},\n"
      "{\"function\":0,\"name\":\"main\",\"source\":0,\"span\":[23,1,25,2]},\n"
      "{\"function\":1,\"name\":\"f\",\"source\":0,\"span\":[1,1,22,2]},\n"
      "{\"site\":0,\"function\":0,\"span\":[24,12,24,17]},\n";
  for (int i = 0; i < 20; ++i)
    text += fmt::format("{{\"site\":{},\"function\":1,\"span\":[{},3,{},{}]}},\n", i + 1, i + 2, i + 2,
                        i < 10 ? 10 : 11);
  text += "{\"stack\":0,\"function\":0},\n{\"stack\":1,\"function\":1,\"parent\":0,\"call\":0},\n";
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t at = i % 21;
    if (at == 0) {
      text += fmt::format("{{\"at\":0,\"in\":0{},\"ns\":412}},\n", i == 0 ? ",\"enter\":1" : "");
      continue;
    }
    const double x = static_cast<double>(i) + (changed > 0 && i % changed == 0 ? 0.75 : 0.25);
    text += fmt::format(
        "{{\"at\":{},\"in\":1{},\"vars\":{{\"x\":{{\"type\":\"double\",\"value\":{}}},"
        "\"history\":{{\"type\":\"std::vector<int>\",\"items\":[1,2,3,4,5,6,7,8]}}}},\"ns\":118}},\n",
        at, at == 1 ? ",\"enter\":1" : "", x);
  }
  return text + fmt::format("{{\"end\":\"return\",\"status\":0,\"steps\":{}}}\n]}}\n", steps);
}

/// Median of five, in seconds.
double seconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void row(const char* what, double time, const std::string& rate) {
  fmt::print("{:<34} {:>8.1f} ms  {}\n", what, time * 1e3, rate);
}

void measure(std::size_t steps) {
  const std::string old_text = trace_text(steps, 0), new_text = trace_text(steps, 100);
  const double megabytes = static_cast<double>(old_text.size()) / 1e6;
  fmt::print("{} steps, {:.1f} MB\n", steps, megabytes);

  const double both = seconds([&] {
    const Trace before = parse_trace(old_text, "old"), now = parse_trace(new_text, "new");
    if (diff_traces(before, now).items.size() != 20) std::abort();
  });
  row("read two traces and compare them", both,
      fmt::format("{:.0f} MB at peak, the texts included", peak_megabytes()));

  const Trace before = parse_trace(old_text, "old");
  const double reading = seconds([&] { parse_trace(old_text, "old"); });
  row("read", reading, fmt::format("{:.0f} MB/s", megabytes / reading));
  const double library = seconds([&] { const Json document = Json::parse(old_text); });
  row("nlohmann_json", library,
      fmt::format("{:.0f} MB/s; ours is {:.1f} times as fast", megabytes / library, library / reading));

  const double page = seconds([&] {
    const Assets assets;
    MathTypesetter math;
    Renderings renderings(before, assets, math);
    const RenderedSteps rendered = render_steps(before, renderings);
    static_cast<void>(lecture_body(before, rendered));
    static_cast<void>(page_data(before, rendered));
  });
  row("render", page, fmt::format("{:.0f} steps/s", static_cast<double>(steps) / page));
}

}  // namespace
}  // namespace lectern

int main(int argc, char** argv) {
  constexpr std::size_t kSteps = 100'000;
  lectern::measure(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : kSteps);
}
