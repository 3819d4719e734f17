#include "cli/site_problems.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/error.h"
#include "cli/run_end.h"
#include "lecture/references_file.h"
#include "site/beside.h"
#include "site/glossary.h"
#include "site/profiles.h"
#include "site/site_bibliography.h"
#include "site/site_pages.h"

namespace lectern::cli {
namespace {

namespace fs = std::filesystem;

/// The files from which the lectures may cite.
std::set<fs::path> references_of(const std::vector<Lecture>& lectures, const SiteSettings& settings) {
  std::set<fs::path> files;
  for (const Lecture& lecture : lectures) {
    const fs::path beside = lecture.source.parent_path() / kReferencesFile;
    files.insert(fs::exists(beside) ? beside : fs::path(settings.references));
  }
  std::erase_if(files, [](const fs::path& file) { return file.empty() || !fs::exists(file); });
  return files;
}

/// A lecture that cites from a wrong file has failed; one that none cites from is as bad as an entry that
/// none cites.
std::vector<std::string> problems_of_references(const Website& site, const fs::path& file) {
  try {
    return unused_references(site, shown(file));
  } catch (const Error& error) {
    return {error.what()};
  }
}

std::vector<std::string> outdated_runs(const Workspace& workspace, const Website& site) {
  std::vector<std::string> problems;
  for (const auto& [lecture, runs] : site.further) {
    const LectureSummary* const first = find_first_run(site, lecture);
    for (const LectureSummary& run : runs) {
      if (first == nullptr || is_same_version(*first, run) || is_of_other_program(*first, run)) continue;
      problems.push_back(shown(workspace.accepted() / run.profile / (lecture + ".json")) +
                         ": it was recorded from an earlier version of the lecture, which its page says; "
                         "record it again, or remove it");
    }
  }
  return problems;
}

}  // namespace

SiteProblems site_problems(const Workspace& workspace, const std::vector<Lecture>& lectures,
                           const RenderOptions& pages) {
  Website site = read_site(pages);
  const std::vector<fs::path> folders = source_folders(lectures);
  for (LectureSummary& lecture : site.map.lectures) {
    for (MentionedTerm& term : lecture.terms) term.place = with_shown_place(term.place, folders);
  }
  SiteProblems problems{.warnings = undefined_terms(site), .errors = misplaced_counterparts(site)};
  const auto add = [&problems](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(problems.warnings));
  };
  add(conflicting_definitions(site));
  for (const fs::path& file : references_of(lectures, pages.settings))
    add(problems_of_references(site, file));
  add(outdated_runs(workspace, site));
  return problems;
}

}  // namespace lectern::cli
