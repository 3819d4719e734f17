#include "site/own_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/files.h"
#include "site/beside.h"
#include "site/cover_picture.h"
#include "site/ranks.h"
#include "site/search_entries.h"
#include "site/summary.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// What a lecture's folder has; the summary goes last, by which it is known.
constexpr std::array<const char*, 13> kLectureFiles{
    "index.html", "steps.js",  "source.js", "costs.js", "fragments",   "assets",    "calculators",
    kSearchFile,  kBesidePage, kBesideData, kRanksData, kCoverPicture, kSummaryFile};

bool is_own_lecture(const fs::path& folder) {
  const fs::path summary = folder / kSummaryFile;
  if (!fs::is_regular_file(summary) || !is_own_file(folder / "index.html")) return false;
  summary_from_json(read_file(summary), summary.string());
  return true;
}

}  // namespace

bool is_own_file(const fs::path& file) {
  constexpr std::size_t kHead = 4096;
  constexpr std::array<std::string_view, 3> kMarks{"<meta name=\"generator\" content=\"Lectern\">",
                                                   "<generator>Lectern</generator>", "Written by Lectern"};
  const std::string head = read_beginning(file, kHead);
  return std::ranges::any_of(kMarks,
                             [&](std::string_view mark) { return head.find(mark) != std::string::npos; });
}

bool remove_lecture(const fs::path& folder) {
  if (!is_own_lecture(folder)) return !fs::exists(folder);
  std::vector<fs::path> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && !entry.is_symlink() && is_own_lecture(entry)) runs.push_back(entry.path());
  }
  for (const fs::path& run : runs) remove_lecture(run);
  for (const char* const name : kLectureFiles) remove_tree(folder / name);
  return remove_empty_folder(folder);
}

void write_or_remove_own(const fs::path& file, std::string_view content) {
  if (!content.empty() || is_own_file(file)) write_or_remove(file, content);
}

void keep_own_files(const fs::path& folder, const std::set<fs::path>& wanted) {
  for (const fs::path& file : files_below(folder)) {
    if (!wanted.contains(file) && is_own_file(folder / file)) remove_tree(folder / file);
  }
  remove_empty_folder(folder);
}

}  // namespace lectern
