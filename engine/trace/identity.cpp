#include "trace/identity.h"

#include <algorithm>
#include <unordered_map>

#include "instrument/tokens.h"

namespace lectern {
namespace {

/// FNV-1a, 32 bits.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  std::string text() const {
    std::string digits(8, '0');
    std::uint32_t rest = value_;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, rest >>= 4)
      *digit = "0123456789abcdef"[rest & 15];
    return digits;
  }

 private:
  std::uint32_t value_ = 2166136261u;
};

/// The text of a span; what lies outside of the source is left out.
std::string text_of(const TextSpan& span, const SourceFile& source) {
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

const SourceFile& source_of(const Trace& trace, const Site& site) {
  const TracedFunction& function = trace.functions[static_cast<std::size_t>(site.function)];
  return trace.sources[static_cast<std::size_t>(function.source)];
}

struct Activation {
  int function;
  std::int32_t number;
  std::unordered_map<int, std::int32_t> executions = {};  ///< by site
};

}  // namespace

std::string token_hash(std::string_view statement, std::string_view language) {
  Hash hash;
  for (const std::string_view token : tokens(statement, language)) {
    hash.add(token);
    hash.add(std::string_view("\0", 1));  // "ab" is not "a b"
  }
  return hash.text();
}

std::vector<std::string> site_tokens(const Trace& trace, const Site& site) {
  const SourceFile& source = source_of(trace, site);
  const std::string text = text_of(site.span, source);
  const std::vector<std::string_view> views = tokens(text, source.language);
  return {views.begin(), views.end()};
}

std::vector<std::string> site_hashes(const Trace& trace) {
  std::vector<std::string> hashes;
  hashes.reserve(trace.sites.size());
  for (const Site& site : trace.sites) {
    const SourceFile& source = source_of(trace, site);
    hashes.push_back(token_hash(text_of(site.span, source), source.language));
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
  std::vector<Pass> result;
  result.reserve(trace.steps.size());
  std::unordered_map<int, std::int32_t> begun;  // activations so far, by function
  std::vector<Activation> active;               // outermost first
  for (const Step& step : trace.steps) {
    const Stack* frame = &trace.stacks[static_cast<std::size_t>(step.stack)];
    const auto depth = static_cast<std::size_t>(frame->depth);
    const std::size_t kept = depth - static_cast<std::size_t>(step.enter);
    if (active.size() > kept) active.erase(active.begin() + static_cast<std::ptrdiff_t>(kept), active.end());

    // Innermost first; frames that no step announced (a trace from elsewhere) begin here too.
    std::vector<int> functions;
    for (std::size_t i = depth; i > active.size(); --i) {
      functions.push_back(frame->function);
      if (frame->parent >= 0) frame = &trace.stacks[static_cast<std::size_t>(frame->parent)];
    }
    for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
      active.push_back({*function, ++begun[*function]});
    }

    Activation& current = active.back();
    std::int32_t& execution = current.executions[step.site];
    if (!step.after || execution == 0) ++execution;
    result.push_back({execution, current.number});
  }
  return result;
}

}  // namespace lectern
