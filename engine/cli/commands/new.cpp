#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/core.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/starters.h"
#include "cli/workspace.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

/// "linear_regression" becomes "Linear regression".
std::string make_title(std::string name) {
  for (char& c : name) {
    if (c == '_' || c == '-') c = ' ';
  }
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return name;
}

constexpr const char* kTemplate = R"(#include <lectern/lecture.h>

using namespace lectern;

int sum_of_squares(const std::vector<int>& numbers) {{
  int sum = 0;
  for (int number : numbers) {{
    sum += number * number;  // @inspect number sum
  }}
  return sum;
}}

int main() {{
  lecture({{.title = "{title}", .date = "{date}", .description = "What this lecture is about."}});
  text("A lecture is a program. Prose stands in `text`, in Markdown, with mathematics: $\\sum_i x_i^2$.");

  const std::vector<int> numbers = {{1, 2, 3}};  // @inspect numbers
  const int sum = sum_of_squares(numbers);       // @inspect sum
  assert(sum == 14);
}}
)";

struct NewArguments {
  std::string name, folder;
  std::string starter;
  const CLI::Option* exercise = nullptr;
};

void check_lecture_name(const std::string& name) {
  if (!is_lecture_name(name)) throw Error("`" + name + "` cannot name a lecture; use " + kLectureNames);
}

/// Writes a new file, and says how to build it.
void create(const Workspace& workspace, const fs::path& path, const std::string& content) {
  if (fs::exists(path)) throw Error(shown(path) + " exists already; choose another name");
  write_file(path, content);
  const bool is_known =
      fs::weakly_canonical(path.parent_path()) == fs::weakly_canonical(workspace.root / "lectures");
  std::printf("%s\nnext: %s build %s\n", shown(path).c_str(), workspace.repository ? "./lectern" : "lectern",
              is_known ? path.stem().c_str() : shown(path).c_str());
}

void create_lecture(const NewArguments& arguments) {
  if (arguments.name.empty()) throw CLI::RequiredError("NAME");
  check_lecture_name(arguments.name);
  const Workspace workspace = find_workspace();
  const fs::path folder = arguments.folder.empty() ? workspace.lectures() : fs::path(arguments.folder);
  const std::time_t now = std::time(nullptr);
  create(workspace, folder / (arguments.name + ".cpp"),
         fmt::format(kTemplate, fmt::arg("title", make_title(arguments.name)),
                     fmt::arg("date", fmt::format("{:%Y-%m-%d}", fmt::localtime(now)))));
}

/// A copy of a starter file, for a student: where they work, not among the course's lectures.
void copy_starter(const NewArguments& arguments) {
  const Workspace workspace = find_workspace();
  if (arguments.starter.empty()) {
    for (const Starter& starter : find_starters(workspace)) std::printf("%s\n", starter.name.c_str());
    return;
  }
  const Starter starter = find_starter(workspace, arguments.starter);
  const std::string& name = arguments.name.empty() ? starter.name : arguments.name;
  check_lecture_name(name);
  create(workspace, fs::path(arguments.folder) / (name + ".cpp"), read_file(starter.file));
}

}  // namespace

void add_new(CLI::App& app, int& status) {
  auto arguments = std::make_shared<NewArguments>();
  auto* command =
      app.add_subcommand("new", "Writes a new lecture from a template, or copies an exercise's starter file");
  command->add_option("NAME", arguments->name,
                      "Its name: letters, digits, - and _. With --exercise, the starter's when left out");
  arguments->exercise =
      command
          ->add_option("--exercise", arguments->starter,
                       "Copies the file that this exercise starts from into the current folder; without a\n"
                       "name, lists those that there are")
          ->type_name("EXERCISE")
          ->expected(0, 1);
  command
      ->add_option("--in", arguments->folder,
                   "The folder for it, instead of lectures/, or the current one where there is none")
      ->check(CLI::ExistingDirectory);
  command->footer(
      "Starter files are starters/EXERCISE.cpp, beside the lectures.\n"
      "Exit status: 0 done, 1 the name is taken or not allowed, or there is no such exercise, 2 the command\n"
      "line is wrong.");
  command->callback([arguments, &status] {
    arguments->exercise->count() > 0 ? copy_starter(*arguments) : create_lecture(*arguments);
    status = 0;
  });
}

}  // namespace lectern::cli
