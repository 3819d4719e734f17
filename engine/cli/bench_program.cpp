#include "cli/bench_program.h"

namespace lectern::cli {

BenchOutcome run_bench_program(Command command, const std::vector<std::string>& arguments,
                               const std::function<void(std::string_view)>& on_json) {
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  BenchOutcome outcome;
  outcome.status = run_command(command, [&](std::string_view line) {
    if (line.starts_with('{')) {
      on_json(line);
    } else if (!line.empty()) {
      outcome.said = line;
    }
  });
  return outcome;
}

}  // namespace lectern::cli
