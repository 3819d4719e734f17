#pragma once

namespace CLI {
class App;
}

/// The commands in the order of `lectern --help`. NAME.cpp here defines add_NAME.
#define LECTERN_COMMANDS(X) \
  X(build)                  \
  X(serve)                  \
  X(check)                  \
  X(accept)                 \
  X(cost)                   \
  X(new)                    \
  X(doctor)                 \
  X(instrument)             \
  X(run)                    \
  X(render)                 \
  X(verdict)                \
  X(diff)                   \
  X(export)                 \
  X(import)                 \
  X(schema)

namespace lectern::cli {

/// Adds the command to the command line; when chosen, it leaves its exit status in `status`.
#define LECTERN_DECLARE_COMMAND(name) void add_##name(CLI::App& app, int& status);
LECTERN_COMMANDS(LECTERN_DECLARE_COMMAND)
#undef LECTERN_DECLARE_COMMAND

}  // namespace lectern::cli
