#include "check/accept.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/terminal.h"
#include "cli/baselines.h"
#include "cli/commands/commands.h"
#include "cli/trace_archive.h"
#include "edtrace/load.h"
#include "trace/end_message.h"
#include "trace/ranks.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

/// Lectures as named on the command line, each with the chosen items; none means the whole lecture.
using Choice = std::map<std::string, std::set<std::string>>;

struct AcceptArguments {
  std::vector<std::string> chosen;
  fs::path archive;
};

Choice chosen(const std::vector<std::string>& arguments) {
  Choice choice;
  for (const std::string& argument : arguments) {
    const std::size_t mark = argument.rfind('#');
    std::set<std::string>& items = choice[argument.substr(0, mark)];
    if (mark != std::string::npos) items.insert(argument.substr(mark + 1));
  }
  return choice;
}

/// The trace of a process, as it is accepted.
struct AcceptedRank {
  Trace trace;
  std::map<std::string, fs::path> files;
  fs::path place;
  bool same = false;                   ///< as before
  std::string unreadable = {};         ///< why what was accepted before cannot be read
  std::vector<Difference> along = {};  ///< taken over with the chosen items
};

/// What was accepted before. One that cannot be read, with the marks of a merge in it, say, is replaced.
std::optional<Trace> load_before(const fs::path& before, AcceptedRank& rank, bool whole) {
  try {
    return load_trace(before);
  } catch (const Error& error) {
    if (!whole) throw Error(std::string(error.what()) + "; `lectern accept` the lecture whole");
    rank.unreadable = error.what();
    return {};
  }
}

/// Takes over these items of the differences, and notes which others came with them.
void take_items(AcceptedRank& rank, const Trace& old_trace, const Diff& diff, const DiffOptions& options,
                const std::set<std::string>& items) {
  Trace taken = accept_items(old_trace, rank.trace, options, items);
  std::set<std::string> others;
  for (const Difference& item :
       diff_traces(taken, rank.trace, DiffOptions{.files = {rank.files, rank.files}}).items)
    others.insert(item.id);
  for (const Difference& item : diff.items) {
    if (!items.contains(item.id) && !others.contains(item.id)) rank.along.push_back(item);
  }
  rank.trace = std::move(taken);
}

/// With `items`, takes these over only, as far as they are of this process; no more of them are `missing`.
AcceptedRank accept_rank(const fs::path& now, const fs::path& before, const std::set<std::string>& items,
                         std::set<std::string>& missing) {
  AcceptedRank rank{.trace = accepted(load_trace(now)), .files = {}, .place = before};
  rank.files = shown_files(rank.trace, now);
  if (!fs::exists(before)) {
    if (items.empty()) return rank;
    throw Error(rank.trace.lecture +
                ": it has no accepted trace whose items could be taken over; accept it whole");
  }
  std::optional<Trace> old_trace = load_before(before, rank, items.empty());
  if (!old_trace) return rank;
  const DiffOptions options{.files = {shown_files(*old_trace, before), rank.files}};
  const Diff diff = diff_traces(*old_trace, rank.trace, options);
  std::set<std::string> own;
  for (const Difference& item : diff.items) {
    if (items.contains(item.id)) own.insert(item.id);
    missing.erase(item.id);
  }
  rank.same = items.empty() ? diff.same() : own.empty();
  if (rank.same) {
    rank.trace = std::move(*old_trace);
  } else if (!own.empty()) {
    take_items(rank, *old_trace, diff, options, own);
  }
  return rank;
}

/// What was accepted, beyond what was asked for, too.
void tell(const std::string& lecture, const std::vector<AcceptedRank>& ranks) {
  const std::string end = end_message(ranks.front().trace);
  std::printf("%s: %s%s\n", lecture.c_str(), shown(ranks.front().place).c_str(),
              end.empty() ? "" : (" (" + end + ")").c_str());
  for (const AcceptedRank& rank : ranks) {
    if (!rank.unreadable.empty())
      std::printf("  whole, as the trace before could not be read: %s\n", rank.unreadable.c_str());
    for (const Difference& item : rank.along) {
      const DifferencePlace& place = main_place(item);
      std::printf("  with it: #%s  %s:%d  %s  %s\n", item.id.c_str(), one_line(place.path).c_str(),
                  place.line, std::string(to_string(item.kind)).c_str(), one_line(item.subject).c_str());
    }
  }
}

void accept_lecture(const Workspace& workspace, const std::string& lecture,
                    const std::set<std::string>& items) {
  const fs::path now = newest_trace(workspace, lecture), before = Baselines(workspace).trace(lecture);
  if (!fs::exists(now))
    throw Error(lecture + ": there is no trace of it; `lectern build " + lecture + "` makes one");
  std::vector<AcceptedRank> ranks;
  std::set<std::string> missing = items;
  for (const fs::path& file : rank_files(load_trace(now), now))
    ranks.push_back(accept_rank(file, rank_file(before, static_cast<int>(ranks.size())), items, missing));
  if (!missing.empty())
    throw Error(lecture + ": there is no difference #" + *missing.begin() + "; `lectern check` lists them");
  // That of rank 0, which says how many there are, comes last. What is the same is written, too: an accept
  // that was killed may have left files behind.
  for (auto rank = ranks.rbegin(); rank != ranks.rend(); ++rank) {
    if (items.empty() || !rank->same) write_accepted(rank->trace, rank->files, rank->place);
  }
  const std::vector<fs::path> further = rank_files_from(before, static_cast<int>(ranks.size()));
  for (const fs::path& file : further) remove_accepted(file);
  if (further.empty() && std::ranges::all_of(ranks, &AcceptedRank::same)) {
    std::printf("%s: the same as before\n", lecture.c_str());
    return;
  }
  tell(lecture, ranks);
}

/// Returns whether all were accepted. A failure is reported and does not stop the others.
bool accept_lectures(const Workspace& workspace, const std::vector<std::string>& lectures,
                     const Choice& choice) {
  bool all_accepted = true;
  for (const std::string& lecture : lectures) {
    try {
      const auto items = choice.find(lecture);
      accept_lecture(workspace, lecture, items == choice.end() ? std::set<std::string>{} : items->second);
    } catch (const Error& error) {
      std::fprintf(stderr, "lectern: %s\n", error.what());
      all_accepted = false;
    }
  }
  return all_accepted;
}

/// Accepts traces from another machine, for the profile they were recorded with.
int accept_archive(Workspace workspace, const fs::path& file, const Choice& choice, int& status) {
  status = 1;
  const TraceArchive archive(file);
  workspace.traces = archive.traces();
  workspace.profile = archive.profile();
  std::vector<std::string> lectures = archive.lectures();
  if (!choice.empty()) lectures.clear();
  for (const auto& [name, items] : choice) {
    if (!std::ranges::binary_search(archive.lectures(), name)) {
      status = 2;
      throw Error(name + ": " + shown(file) + " has no trace of it; it has " +
                  fmt::format("{}", fmt::join(archive.lectures(), ", ")));
    }
    lectures.push_back(name);
  }
  return accept_lectures(workspace, lectures, choice) ? 0 : 1;
}

int accept(const AcceptArguments& arguments, int& status) {
  status = 2;
  const Workspace workspace = find_workspace();
  const Choice choice = chosen(arguments.chosen);
  if (!arguments.archive.empty()) return accept_archive(workspace, arguments.archive, choice, status);
  std::vector<std::string> named;
  for (const auto& [name, items] : choice) named.push_back(name);
  const std::vector<Lecture> lectures = find_lectures(workspace, named);  // in the order of the names
  if (lectures.empty()) std::printf("no lecture was built here: name its file\n");
  status = 1;
  // A lecture may also be named by its file.
  Choice found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < lectures.size(); ++i) {
    names.push_back(lectures[i].name);
    if (!named.empty()) found[lectures[i].name] = choice.at(named[i]);
  }
  const bool all_accepted = accept_lectures(workspace, names, found);
  if (!arguments.chosen.empty()) return all_accepted ? 0 : 1;
  const Baselines baselines(workspace);
  for (const std::string& name : baselines.lectures_except(lectures)) {
    if (!baselines.is_deleted(name)) continue;
    remove_accepted(baselines.trace(name));
    for (const fs::path& file : rank_files_from(baselines.trace(name), 1)) remove_accepted(file);
    std::printf("%s: removed, since there is no such lecture\n", shown(baselines.trace(name)).c_str());
  }
  return all_accepted ? 0 : 1;
}

}  // namespace

void add_accept(CLI::App& app, int& status) {
  auto arguments = std::make_shared<AcceptArguments>();
  auto* command = app.add_subcommand("accept", "Makes the newest traces the accepted ones");
  command->add_option("LECTURE", arguments->chosen,
                      "Lectures, or single items of the report as LECTURE#ITEM; all lectures when left out");
  command
      ->add_option("--from", arguments->archive,
                   "An archive of traces from another machine, traces.tar.gz of a bundle's `run`")
      ->check(CLI::ExistingFile);
  command->footer(
      "Runs nothing: it takes what the last `lectern build` or `lectern check` recorded. A trace that is\n"
      "the same within tolerance stays as it is. Without arguments, accepted traces of deleted lectures\n"
      "are removed. An item of control flow, of the source, or of a missing, added or changed statement\n"
      "brings all such items of its lecture, which are printed. A trace that cannot be read, with the marks "
      "of\n"
      "a merge in it, say, is replaced whole. With --from, the traces are accepted for the profile they\n"
      "were recorded with: traces/cuda on a GPU.\n"
      "Exit status: 0 done, 1 a trace or an archive is missing or incomplete or cannot be written,\n"
      "2 the command line is wrong.");
  command->callback([arguments, &status] { status = accept(*arguments, status); });
}

}  // namespace lectern::cli
