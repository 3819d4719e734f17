#include "supervise/longest_loop.h"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/readable_numbers.h"
#include "trace/reader.h"

namespace lectern {
namespace {

constexpr std::string_view kStep = "{\"at\":", kStack = "{\"stack\":";

/// The steps of each site, and the document up to the first stack or step: files are defined before.
struct Recorded {
  std::string definitions;
  std::vector<std::uint64_t> steps;
};

Recorded count_steps(const std::filesystem::path& trace) {
  Recorded recorded;
  bool defining = true;
  std::ifstream file(trace);
  for (std::string line; std::getline(file, line);) {
    const bool step = line.starts_with(kStep);
    defining = defining && !step && !line.starts_with(kStack);
    if (defining) recorded.definitions += line + "\n";
    std::size_t site = 0;
    const char* const end = line.data() + line.size();
    if (!step || std::from_chars(line.data() + kStep.size(), end, site).ec != std::errc()) continue;
    constexpr std::size_t kMostSites = 1 << 24;
    if (site >= kMostSites) continue;
    if (site >= recorded.steps.size()) recorded.steps.resize(site + 1);
    ++recorded.steps[site];
  }
  return recorded;
}

}  // namespace

std::string longest_loop(const std::filesystem::path& file) {
  const Recorded recorded = count_steps(file);
  const Trace trace = parse_trace(recorded.definitions, file.string());
  const Site* longest = nullptr;
  std::uint64_t most = 0;
  for (const bool loops : {true, false}) {
    for (std::size_t site = 0; site < trace.sites.size() && site < recorded.steps.size(); ++site) {
      if ((loops && trace.sites[site].kind != SiteKind::loop) || recorded.steps[site] <= most) continue;
      most = recorded.steps[site];
      longest = &trace.sites[site];
    }
    if (longest != nullptr) break;
  }
  if (longest == nullptr) return "step over its longest loop with @stepover";
  const TracedFunction& function = trace.functions[index(longest->function)];
  return trace.sources[index(function.source)].path + ":" + std::to_string(longest->span.line) + " ran " +
         with_separators(most) + " times: put " +
         (longest->kind == SiteKind::loop ? "@steps first 3 last 1 or @stepover on it"
                                          : "@stepover on what calls it");
}

}  // namespace lectern
