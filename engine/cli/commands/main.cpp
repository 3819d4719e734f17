#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/nearest.h"
#include "cli/commands/commands.h"
#include "cli/process.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {

void complain(const std::string& message) {
  std::fprintf(stderr, "lectern: %s\n", message.c_str());
}

/// Of the checkout that the program works for, or from which it was installed; empty where that is unknown.
std::string find_commit() {
  try {
    const Workspace workspace = find_workspace();
    if (workspace.repository)
      return first_output_line({"git", "-C", workspace.root, "rev-parse", "--short=12", "HEAD"});
    const std::filesystem::path file = workspace.home / "share/lectern/commit";
    return std::filesystem::exists(file) ? read_file(file) : std::string();
  } catch (const Error&) {
    return {};
  }
}

std::string version_text() {
  const std::string commit = find_commit();
  return std::string("lectern ") + LECTERN_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

/// What only the launcher of a checkout does.
bool is_checkout_command(std::string_view word) {
  return word == "test" || word == "bench" || word == "bundle";
}

/// "there is no command `bild`; did you mean `build`?" if the first word is not a command; else empty.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || *argv[1] == '-') return {};
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string word = argv[1];
  for (const auto& name : names) {
    if (name == word) return {};
  }
  if (is_checkout_command(word))
    return "`" + word + "` needs a checkout of Lectern; call `./lectern " + word + "` there";
  const std::string suggestion = nearest(word, names);
  return "there is no command `" + word + "`; " +
         (suggestion.empty() ? "`lectern --help` lists them" : "did you mean `" + suggestion + "`?");
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "lectern";
  for (const auto* chosen : app.get_subcommands()) command += ' ' + chosen->get_name();
  complain(std::string(error.what()) + "; see `" + command + " --help`");
  return 2;
}

/// Parses, runs the command, prints errors as "lectern: …". Returns the exit status: 2 if the command line
/// is wrong.
int run(int argc, const char* const* argv) {
  int status = 0;
  CLI::App app("Turns C++ programs into lectures that a reader steps through.", "lectern");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "Print the version, and the commit where it is known");
  app.footer(
      "`lectern COMMAND --help` says more about each.\n"
      "Exit status: 0 done, 1 something failed, 2 the command line is wrong, 3 something is not installed.");
#define LECTERN_ADD_COMMAND(name) add_##name(app, status);
  LECTERN_COMMANDS(LECTERN_ADD_COMMAND)
#undef LECTERN_ADD_COMMAND
  if (const std::string message = unknown_command(app, argc, argv); !message.empty()) {
    complain(message);
    return 2;
  }
  if (argc < 2) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& call) {  // help or version
    return app.exit(call);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  } catch (const std::filesystem::filesystem_error& error) {  // whose text names a function of the library
    complain(error.path1().string() + ": " + error.code().message() +
             "; choose another place, or change its permissions");
    return status == 0 ? 1 : status;
  } catch (const std::exception& error) {
    complain(error.what());
    return status == 0 ? 1 : status;
  }
  return status;
}

/// What was printed may not have arrived: on a full disk, say.
int finish_output(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  complain(std::string("standard output cannot be written") +
           (errno == 0 ? "" : std::string(": ") + std::strerror(errno)));
  return status == 0 ? 1 : status;
}

}  // namespace
}  // namespace lectern::cli

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of a file's size fails then, and is told of
  return lectern::cli::finish_output(lectern::cli::run(argc, argv));
}
