#include "record/run_program.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/files.h"
#include "trace/reader.h"

namespace lectern::test {

using Json = nlohmann::ordered_json;

std::filesystem::path program(const std::string& name) {
  return std::filesystem::path(LECTERN_TEST_PROGRAMS) / ("record_program_" + name);
}

RunOptions run_options(const TemporaryFolder& folder, const std::string& name,
                       const std::vector<std::string>& arguments) {
  // How a run ends is the program's own doing, also where it is built with a sanitizer.
  setenv("ASAN_OPTIONS", "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0", 0);
  return {.program = program(name), .arguments = arguments, .output = folder / "trace.json", .quiet = true};
}

Recorded read_recorded(const std::filesystem::path& path) {
  Recorded recorded;
  recorded.document = Json::parse(read_file(path));
  for (const Json& record : recorded.document.at("records")) {
    if (record.contains("at")) recorded.steps.push_back(record);
    if (record.contains("end")) recorded.end = record;
  }
  const Trace trace = read_trace(path);
  if (!trace.complete() || trace.steps.size() != recorded.steps.size() ||
      trace.end.by != recorded.end.at("end"))
    throw std::runtime_error(path.string() + " does not read back");
  return recorded;
}

Recorded run_program(const std::string& name, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const RunOptions options = run_options(folder, name, arguments);
  const RunOutcome outcome = run_lecture(options);
  Recorded recorded = read_recorded(options.output);
  recorded.outcome = outcome;
  return recorded;
}

std::vector<std::string> Recorded::lines() const {
  std::map<int, Json> functions, sites, stacks;
  for (const Json& record : document.at("records")) {
    if (record.contains("at") || record.contains("end") || record.contains("left_out")) continue;
    if (record.contains("stack")) {
      stacks[record["stack"]] = record;
    } else if (record.contains("site")) {
      sites[record["site"]] = record;
    } else if (!record.contains("path")) {
      functions[record["function"]] = record;
    }
  }
  std::vector<std::string> lines;
  for (const Json& step : document.at("records")) {
    if (step.contains("left_out")) lines.push_back("×" + std::to_string(step.value("passes", 0)));
    if (!step.contains("at")) continue;
    std::string line;
    for (int stack = step["in"]; stack >= 0; stack = stacks.at(stack).value("parent", -1)) {
      const Json& frame = stacks.at(stack);
      line = frame.value("name", functions.at(frame["function"])["name"].get<std::string>()) +
             (line.empty() ? "" : " > " + line);
    }
    line += " " + std::to_string(sites.at(step["at"])["span"][0].get<int>());
    if (step.contains("enter")) line += " +" + std::to_string(step["enter"].get<int>());
    if (step.value("after", false)) line += " after";
    lines.push_back(line);
  }
  return lines;
}

}  // namespace lectern::test
