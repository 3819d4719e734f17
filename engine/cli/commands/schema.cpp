#include "trace/schema.h"

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"

namespace lectern::cli {

void add_schema(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "schema", "Prints the JSON Schema (2020-12) of the traces that this program writes and reads");
  command->callback([&status] {
    const std::string schema = trace_schema();
    status = std::fwrite(schema.data(), 1, schema.size(), stdout) == schema.size() ? 0 : 1;
  });
}

}  // namespace lectern::cli
