// Whatever interrupts a command at whichever of its writes: every file is the old one or the new one, whole.

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli/shown_trace.h"
#include "cli/tool.h"
#include "trace/reader.h"

extern char** environ;

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

/// Files by their path below a folder. Times that a trace measured are left out.
using Files = std::map<std::string, std::string>;

std::string without_times(std::string text) {
  constexpr std::string_view kKey = ",\"ns\":";
  for (std::size_t at = 0; (at = text.find(kKey, at)) != std::string::npos;)
    text.erase(at, text.find_first_not_of("0123456789", at + kKey.size()) - at);
  return text;
}

Files files_in(const fs::path& folder) {
  Files files;
  for (const fs::path& file : files_below(folder))
    files[file.string()] = without_times(read_file(folder / file));
  return files;
}

/// A command that writes files. A new one of the tool is a new line in `writers()`.
struct Writer {
  std::string name;
  std::vector<std::string> arguments;
  /// Puts there what the command reads, and what an earlier one left: what the files are before.
  std::function<void(const fs::path& folder)> prepare;
  bool several_processes = false;
  int failed = 1;  ///< the exit status when a write fails
};

std::string trace_showing_image(const std::string& image) {
  return trace_showing("figure", R"({"kind":"image","src":")" + image + R"(","alt":"A figure"})");
}

void prepare_lecture(const fs::path& folder) {
  write_file(folder / "lecture.cpp", "#include \"own.h\"\nint main() {\n  return own() - 1;\n}\n");
  write_file(folder / "own.h", "inline int own() {\n  return 1;\n}\n");
  for (const char* old : {"out/lecture.cpp", "out/own.h", "lecture.d"}) write_file(folder / old, "old\n");
}

void prepare_run(const fs::path& folder) {
  write_file(folder / "figure.json", trace_showing_image("old.svg"));
  write_file(folder / "figure.assets/old.svg", "<svg>old</svg>");
  write_file(folder / "figure.assets/figure.svg", "<svg>of before</svg>");
}

void copy_templates(const fs::path& folder) {
  const fs::path source = fs::path(LECTERN_SOURCE_DIR) / "site_templates";
  for (const auto& entry : fs::directory_iterator(source)) {
    if (entry.path().extension() == ".mustache")
      write_file(folder / entry.path().filename(), read_file(entry));
  }
}

/// A site in which another version of the lecture was rendered.
void prepare_site(const fs::path& folder) {
  const fs::path templates = folder / "home/share/lectern/site";
  copy_templates(templates);
  for (const char* script : {"theme.js", "home.js", "viewer.js"})
    write_file(templates / "assets" / script, "old");
  prepare_run(folder);
  const Said said = call("render figure.json -o site", folder, "LECTERN_HOME=home");
  if (said.status != 0) throw std::runtime_error(said.err);
  write_file(templates / "assets/viewer.js", "new");
  write_file(folder / "figure.json", trace_showing_image("new.svg"));
  write_file(folder / "figure.assets/new.svg", "<svg>new</svg>");
  fs::remove(folder / "figure.assets/old.svg");
}

/// A trace whose image has no file is compared with itself.
void prepare_report(const fs::path& folder) {
  const fs::path templates = folder / "home/share/lectern/site";
  copy_templates(templates);
  for (const char* script : {"theme.js", "home.js", "viewer.js", "compare.js"})
    write_file(templates / "assets" / script, "script");
  prepare_run(folder);
  write_file(folder / "report.json", "old");
}

/// The accepted trace of a lecture that was built here, and a newer one.
void prepare_accepted(const fs::path& folder) {
  fs::create_directories(folder / "home/share/lectern");
  write_file(folder / "figure.cpp", "int main() {}\n");
  write_file(folder / "build/outside/1/source", "figure.cpp");
  for (const auto& [traces, image] : {std::pair{"traces/cpu", "old.svg"}, {"build/traces/cpu", "new.svg"}}) {
    write_file(folder / traces / "figure.json", trace_showing_image(image));
    write_file(folder / traces / "figure.assets" / image, "<svg/>");
  }
}

std::vector<Writer> writers() {
  return {
      {"instrument",
       {"instrument", "lecture.cpp", "-o", "out/lecture.cpp", "--depfile", "lecture.d"},
       prepare_lecture},
      {"instrument_anew", {"instrument", "lecture.cpp", "-o", "new/lecture.cpp"}, prepare_lecture},
      {"run",
       {"run", LECTERN_TEST_LECTURE, "-o", "figure.json", "--quiet", "--", "assets"},
       prepare_run,
       true},
      {"run_anew",
       {"run", LECTERN_TEST_LECTURE, "-o", "new/figure.json", "--quiet", "--", "assets"},
       [](const fs::path&) {},
       true},
      {"render", {"render", "figure.json", "-o", "site"}, prepare_site},
      {"render_anew", {"render", "figure.json", "-o", "new"}, prepare_site},
      {"new", {"new", "lecture", "--in", "."}, [](const fs::path&) {}},
      {"new_exercise", {"new", "--exercise", "merge", "copy"}, [](const fs::path&) {}},
      {"report",
       {"diff", "figure.json", "figure.json", "--format", "html", "-o", "report"},
       prepare_report,
       false,
       2},
      {"report_file",
       {"diff", "figure.json", "figure.json", "--format", "json", "-o", "report.json"},
       prepare_report,
       false,
       2},
      {"accept", {"accept"}, prepare_accepted},
      {"export", {"export", "figure.json", "--to", "edtrace", "-o", "out/figure.json"}, prepare_run},
      {"export_markdown", {"export", "figure.json", "--to", "markdown", "-o", "out/figure.md"}, prepare_run},
      {"import",
       {"import", "edtrace.json", "-o", "out/figure.json"},
       [](const fs::path& folder) {
         write_file(folder / "edtrace.json",
                    read_file(fs::path(LECTERN_SOURCE_DIR) / "tests/edtrace/traces/tensors_later.json"));
         write_file(folder / "out/figure.json", trace_showing_image("old.svg"));
         write_file(folder / "out/figure.assets/old.svg", "<svg/>");
       }},
  };
}

/// What happens at a write: the process that makes it is killed, or all are, or the write fails.
enum class Accident { kill, kill_all, error };

const char* name_of(Accident accident) {
  return accident == Accident::kill ? "kill" : accident == Accident::kill_all ? "kill all" : "error";
}

/// Every error comes at some write.
int error_at(int write) {
  constexpr std::array<int, 3> errors{ENOSPC, EROFS, EIO};
  return errors[static_cast<std::size_t>(write) % errors.size()];
}

/// How the command ended, and whether its n-th write came at all.
struct Disturbed {
  int status;  ///< as waitpid gives it
  bool happened;
  std::string err;
};

/// Calls the tool in the folder; an accident happens at the n-th write, at none when `at` is 0.
Disturbed call_disturbed(const Writer& writer, const fs::path& folder, Accident accident, int at) {
  const test::TemporaryFolder outside;
  write_file(outside / "calls", std::string(sizeof(int), '\0'));
  std::vector<std::string> words = {
      "env",
      std::string("LD_PRELOAD=") + LECTERN_FAIL_AT,
      "LECTERN_FAIL_UNDER=" + folder.string(),
      "LECTERN_FAIL_CALLS=" + (outside / "calls").string(),
      "LECTERN_FAIL_AT=" + std::to_string(at),
      std::string("LECTERN_FAIL_WITH=") +
          (accident == Accident::error ? std::to_string(error_at(at)) : name_of(accident)),
      LECTERN_TOOL};
  if (fs::exists(folder / "home")) words.insert(words.begin() + 1, "LECTERN_HOME=home");
  words.insert(words.end(), writer.arguments.begin(), writer.arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  const std::string err = outside / "err";
  posix_spawn_file_actions_addopen(&files, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawnattr_t group;
  posix_spawnattr_init(&group);
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  pid_t process = -1;
  EXPECT_EQ(posix_spawn(&process, "/usr/bin/env", &files, &group, pointers.data(), environ), 0);
  posix_spawnattr_destroy(&group);
  posix_spawn_file_actions_destroy(&files);

  Disturbed result{};
  waitpid(process, &result.status, 0);
  // What goes on after the command was killed ends by itself, and is ours to wait for.
  while (waitpid(-process, nullptr, 0) > 0) {
  }
  int calls = 0;
  const std::string counted = read_file(outside / "calls");
  std::memcpy(&calls, counted.data(), sizeof calls);
  result.happened = calls >= at;
  result.err = read_file(err);
  return result;
}

/// A trace of a lecture that was interrupted is neither the old one nor that of a whole run.
bool is_whole_trace(const fs::path& file) {
  return read_file(file).starts_with("{\"format\":\"lectern-trace/") && read_trace(file).complete();
}

/// What stands in quotes after src in a page or a trace, but for addresses.
std::vector<std::string> sources_in(const std::string& text) {
  std::vector<std::string> sources;
  for (const std::string_view key : {"src=\"", "\"src\":\""}) {
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
      at += key.size();
      std::string source = text.substr(at, text.find('"', at) - at);
      if (source.find_first_of(":#") == std::string::npos) sources.push_back(std::move(source));
    }
  }
  return sources;
}

/// Images that pages and traces show, and scripts that pages load, are there.
void expect_all_named_files(const fs::path& folder) {
  for (const fs::path& file : files_below(folder)) {
    const bool page = file.filename() == "index.html";
    const bool trace =
        file.extension() == ".json" && fs::exists(fs::path(folder / file).replace_extension(".assets"));
    if (!page && !trace) continue;
    const fs::path beside =
        page ? (folder / file).parent_path() : fs::path(folder / file).replace_extension(".assets");
    for (const std::string& source : sources_in(read_file(folder / file)))
      EXPECT_TRUE(fs::exists(beside / source)) << file << " names " << source;
  }
}

bool is_leftover(const std::string& file) {
  return file.ends_with(".writing") || file.find(".partial") != std::string::npos;
}

/// Names of files that only one has, or that differ.
std::vector<std::string> differences(const Files& a, const Files& b) {
  std::vector<std::string> names;
  for (const auto& [file, content] : a) {
    if (!b.contains(file) || b.at(file) != content) names.push_back(file);
  }
  for (const auto& [file, content] : b) {
    if (!a.contains(file)) names.push_back(file);
  }
  return names;
}

class Survival : public testing::TestWithParam<Writer> {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the address sanitizer's library and ours would both want to be loaded first";
#endif
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    fs::create_directory(prepared_);
    GetParam().prepare(prepared_);
    before_ = files_in(prepared_);
    prepare();
    const Disturbed result = call_disturbed(GetParam(), folder_, Accident::kill, 0);
    ASSERT_EQ(result.status, 0) << result.err;
    after_ = files_in(folder_);
    ASSERT_NE(differences(before_, after_), std::vector<std::string>());
  }

  /// What is there before the command: always in the same folder, whose name stands in some files.
  void prepare() {
    fs::remove_all(folder_);
    fs::copy(prepared_, folder_, fs::copy_options::recursive);
  }

  void check_files(bool leftovers) {
    const Files now = files_in(folder_);
    for (const auto& [file, content] : before_) {
      const bool may_go = !after_.contains(file) || is_asset_of_new_trace(file, now);
      EXPECT_TRUE(now.contains(file) || may_go) << file << " is lost";
    }
    for (const auto& [file, content] : now) {
      if (leftovers && is_leftover(file)) continue;
      const bool old = before_.contains(file) && before_.at(file) == content;
      const bool whole =
          after_.contains(file) && (after_.at(file) == content || is_whole_trace(folder_ / file));
      EXPECT_TRUE(old || whole) << file << " is neither the old one nor the new one";
    }
    expect_all_named_files(folder_);
  }

  /// A lecture that was interrupted has a trace of its own, which may show less.
  bool is_asset_of_new_trace(const fs::path& file, const Files& now) const {
    const std::string trace = file.parent_path().replace_extension(".json");
    return file.parent_path().extension() == ".assets" && now.at(trace) != before_.at(trace);
  }

  static void check_message(int error, const Disturbed& result) {
    EXPECT_TRUE(WIFEXITED(result.status) && WEXITSTATUS(result.status) == GetParam().failed) << result.status;
    const std::size_t line = result.err.find("lectern: ");
    ASSERT_NE(line, std::string::npos) << result.err;
    EXPECT_NE(result.err.find(std::strerror(error), line), std::string::npos) << result.err;
  }

  test::TemporaryFolder temporary_;
  fs::path prepared_ = temporary_ / "prepared";
  fs::path folder_ = temporary_ / "work";
  Files before_, after_;
};

TEST_P(Survival, OfAnAccidentAtEveryWrite) {
  for (const Accident accident : {Accident::kill, Accident::kill_all, Accident::error}) {
    if (accident == Accident::kill_all && !GetParam().several_processes) continue;
    int at = 1;
    for (;; ++at) {
      SCOPED_TRACE(std::string(name_of(accident)) + " at write " + std::to_string(at));
      prepare();
      const Disturbed result = call_disturbed(GetParam(), folder_, accident, at);
      if (!result.happened) break;
      check_files(accident != Accident::error);
      if (accident == Accident::error) check_message(error_at(at), result);
      // The next run finds nothing in its way, and leaves nothing of what was before.
      const Disturbed next = call_disturbed(GetParam(), folder_, accident, 0);
      EXPECT_EQ(next.status, 0) << next.err;
      EXPECT_EQ(differences(files_in(folder_), after_), std::vector<std::string>());
      if (HasFailure()) return;
    }
    EXPECT_GT(at, 3) << "the writes were not counted";
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, Survival, testing::ValuesIn(writers()),
                         [](const auto& writer) { return writer.param.name; });

}  // namespace
}  // namespace lectern::cli
