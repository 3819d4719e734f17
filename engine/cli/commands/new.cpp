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

void create(const std::string& name, const std::string& folder) {
  if (!is_lecture_name(name)) {
    throw Error("`" + name + "` cannot name a lecture; use " + kLectureNames);
  }
  const Workspace workspace = find_workspace();
  const fs::path path = (folder.empty() ? workspace.lectures() : fs::path(folder)) / (name + ".cpp");
  if (fs::exists(path)) throw Error(shown(path) + " exists already; choose another name");
  const std::time_t now = std::time(nullptr);
  write_file(path, fmt::format(kTemplate, fmt::arg("title", make_title(name)),
                               fmt::arg("date", fmt::format("{:%Y-%m-%d}", fmt::localtime(now)))));
  std::printf("%s\nnext: %s build %s\n", shown(path).c_str(), workspace.repository ? "./lectern" : "lectern",
              folder.empty() && workspace.repository ? name.c_str() : shown(path).c_str());
}

}  // namespace

void add_new(CLI::App& app, int& status) {
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  auto* command = app.add_subcommand("new", "Writes a new lecture from a template");
  command->add_option("NAME", *name, "Its name: letters, digits, - and _")->required();
  command->add_option("--in", *folder, "The folder for it, instead of lectures/")
      ->check(CLI::ExistingDirectory);
  command->footer("Exit status: 0 done, 1 the name is taken or not allowed, 2 the command line is wrong.");
  command->callback([name, folder, &status] {
    create(*name, *folder);
    status = 0;
  });
}

}  // namespace lectern::cli
