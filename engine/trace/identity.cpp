#include "trace/identity.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/fnv.h"
#include "trace/activations.h"
#include "trace/tokens.h"

namespace lectern {
namespace {

/// The text of a span; what lies outside of the source is left out.
std::string span_text(const TextSpan& span, const SourceFile& source) {
  std::string text;
  for (int number = span.line; number <= span.end_line && number <= static_cast<int>(source.lines.size());
       ++number) {
    std::string_view line = source.lines[static_cast<std::size_t>(number - 1)];
    if (number == span.end_line) line = line.substr(0, static_cast<std::size_t>(span.end_column - 1));
    if (number == span.line)
      line.remove_prefix(std::min(line.size(), static_cast<std::size_t>(span.column - 1)));
    text.append(line).append("\n");
  }
  return text;
}

const SourceFile& site_source(const Trace& trace, const Site& site) {
  const TracedFunction& function = trace.functions[static_cast<std::size_t>(site.function)];
  return trace.sources[static_cast<std::size_t>(function.source)];
}

/// Numbers of a hostile trace do not overflow.
void add_count(std::int32_t& sum, std::int64_t count) {
  constexpr std::int64_t kMost = 1 << 30;
  sum = static_cast<std::int32_t>(std::min(sum + count, kMost));
}

}  // namespace

std::string token_hash(std::string_view statement, std::string_view language) {
  std::uint32_t hash = fnv1a_32({});
  for (const std::string_view token : tokens(statement, language))
    hash = fnv1a_32(std::string_view("\0", 1), fnv1a_32(token, hash));  // "ab" is not "a b"
  return fmt::format("{:08x}", hash);
}

std::vector<std::string> site_tokens(const Trace& trace, const Site& site) {
  const SourceFile& source = site_source(trace, site);
  const std::string text = span_text(site.span, source);
  const std::vector<std::string_view> views = tokens(text, source.language);
  return {views.begin(), views.end()};
}

std::vector<std::string> site_hashes(const Trace& trace) {
  std::vector<std::string> hashes;
  hashes.reserve(trace.sites.size());
  for (const Site& site : trace.sites) {
    const SourceFile& source = site_source(trace, site);
    hashes.push_back(token_hash(span_text(site.span, source), source.language));
  }
  return hashes;
}

std::vector<std::string> site_identities(const Trace& trace) {
  std::vector<std::string> identities = site_hashes(trace);
  std::unordered_map<std::string, int> met;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    const auto function = static_cast<std::size_t>(trace.sites[i].function);
    std::string& identity = identities[i].insert(0, trace.functions[function].name + "~");
    if (const int ordinal = ++met[identity]; ordinal > 1) identity += "~" + std::to_string(ordinal);
  }
  return identities;
}

std::vector<Pass> passes(const Trace& trace) {
  const auto at = [](auto number) { return static_cast<std::size_t>(number); };
  std::vector<Pass> result(trace.steps.size());
  std::vector<std::int32_t> begun(trace.functions.size());   // activations so far, by function
  std::vector<std::int32_t> executions(trace.sites.size());  // within one activation
  std::size_t left_out_calls = 0;
  for (const Activation& activation : activations(trace)) {
    if (activation.function < 0) continue;  // the program
    for (; !activation.steps.empty() && left_out_calls < trace.left_out.size() &&
           trace.left_out[left_out_calls].before <= at(activation.steps.front());
         ++left_out_calls) {
      for (const auto& [function, count] : trace.left_out[left_out_calls].calls)
        add_count(begun[at(function)], count);
    }
    const std::int32_t number = ++begun[at(activation.function)];
    auto left_out = activation.left_out.begin();
    for (std::size_t k = 0; k < activation.steps.size(); ++k) {
      for (; left_out != activation.left_out.end() && left_out->before <= k; ++left_out) {
        for (const auto& [site, count] : trace.left_out[at(left_out->number)].runs)
          add_count(executions[at(site)], count);
      }
      const int i = activation.steps[k];
      const Step& step = trace.steps[at(i)];
      std::int32_t& execution = executions[at(step.site)];
      if (!step.after || execution == 0) ++execution;
      result[at(i)] = {execution, number};
    }
    for (const int i : activation.steps) executions[at(trace.steps[at(i)].site)] = 0;
    for (const auto& each : activation.left_out) {
      for (const auto& [site, count] : trace.left_out[at(each.number)].runs) executions[at(site)] = 0;
    }
  }
  return result;
}

}  // namespace lectern
