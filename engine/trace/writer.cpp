#include "trace/writer.h"

#include "trace/encode.h"

namespace lectern {
namespace {

template <typename T>
void write_definitions(std::string& out, std::string_view kind, const std::vector<T>& definitions) {
  for (std::size_t i = 0; i < definitions.size(); ++i)
    append_definition(out, kind, static_cast<int>(i), definitions[i]);
}

void write_header(std::string& out, const Trace& trace) {
  out += "{\"format\":" + to_json(trace.format) + ",\n\"lecture\":" + to_json(trace.lecture);
  if (trace.profile) out += ",\n\"profile\":" + to_json(*trace.profile);
  std::string unknown;
  append_members(unknown, trace.unknown);
  if (!unknown.empty()) out += ",\n" + unknown.substr(1);
  out += ",\n\"records\":[\n";
}

void write_step(std::string& out, const Step& step) {
  const auto number = [&out](std::string_view name, std::int64_t value) {
    out.append(name);
    append_integer(out, value);
  };
  number("{\"at\":", step.site);
  number(",\"in\":", step.stack);
  if (step.enter != 0) number(",\"enter\":", step.enter);
  if (step.after) out += ",\"after\":true";
  append_members(out, JsonText{step.text});
  if (step.ns != 0) number(",\"ns\":", step.ns);
  out += "},\n";
}

}  // namespace

std::string write_trace(const Trace& trace) {
  std::string out;
  write_header(out, trace);
  write_definitions(out, "source", trace.sources);
  write_definitions(out, "function", trace.functions);
  write_definitions(out, "site", trace.sites);
  std::size_t stack = 0;
  auto other = trace.others.begin();
  auto left_out = trace.left_out.begin();
  const auto write_stacks = [&](std::size_t count) {
    for (; stack < count; ++stack)
      append_definition(out, "stack", static_cast<int>(stack), trace.stacks[stack]);
  };
  const auto write_pending = [&](std::size_t step) {
    for (; left_out != trace.left_out.end() && left_out->before <= step; ++left_out)
      out += to_json(*left_out) + ",\n";
    for (; other != trace.others.end() && other->before <= step; ++other) out += other->json + ",\n";
  };
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    // A stack is defined before its first use.
    write_stacks(std::max(stack, index(trace.steps[i].stack) + 1));
    write_pending(i);
    write_step(out, trace.steps[i]);
  }
  write_stacks(trace.stacks.size());
  write_pending(trace.steps.size());
  if (trace.complete()) {
    TraceEnd end = trace.end;
    end.steps = static_cast<std::int64_t>(trace.steps.size());
    append_json(out, end);
    out += ",\n";
  }
  if (out.ends_with(",\n")) out.replace(out.size() - 2, 1, "");
  return out + "]}\n";
}

}  // namespace lectern
