#pragma once

namespace CLI {
class App;
}

/// One file per command: each adds itself to the command line and, when chosen, leaves its exit status in
/// `status`.
namespace lectern::cli {

void add_build(CLI::App& app, int& status);
void add_serve(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_accept(CLI::App& app, int& status);
void add_new(CLI::App& app, int& status);
void add_doctor(CLI::App& app, int& status);
void add_instrument(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_render(CLI::App& app, int& status);
void add_diff(CLI::App& app, int& status);
void add_export(CLI::App& app, int& status);
void add_import(CLI::App& app, int& status);

/// The whole program: parses, runs the command, prints errors as "lectern: …". Returns the exit status; 2
/// when the command line or what it names is wrong.
int run(int argc, const char* const* argv);

}  // namespace lectern::cli
