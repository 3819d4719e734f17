#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/bibtex.h"
#include "base/bibtex_text.h"
#include "base/characters.h"
#include "base/date.h"
#include "base/html.h"
#include "base/nearest.h"
#include "lecture/dependencies.h"
#include "lecture/hooks.h"
#include "lecture/references_file.h"
#include "lecture/rendering.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// Makes what a page shows of an entry.
class CitedEntry {
 public:
  CitedEntry(const BibEntry& entry, const std::string& file) : entry_(entry), file_(file) {}

  rendering::Link work() const {
    rendering::Link work{.url = url(), .title = title(), .key = entry_.key};
    work.organization = source();
    work.date = date();
    work.description = text({"annote", "annotation"});
    work.notes = text({"note"});
    const BibEntry::Field* const people = first({"author", "editor"});
    const auto names = people == nullptr ? std::vector<BibName>() : names_of_latex(people->value);
    for (const BibName& name : names) work.authors.push_back(name.whole);
    if (!names.empty()) {
      work.label = "[" + names.front().family + (names.size() > 1 ? "+" : "");
      work.label += (work.date.empty() ? "" : " " + work.date.substr(0, 4)) + "]";
    }
    return work;
  }

 private:
  [[noreturn]] void refuse_entry(int line, const std::string& what) const {
    throw Error(Place{.file = file_, .line = line}, "`" + entry_.key + "` " + what);
  }

  const BibEntry::Field* first(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (const BibEntry::Field* const field = entry_.find(name)) return field;
    }
    return nullptr;
  }
  std::string text(std::initializer_list<std::string_view> names) const {
    const BibEntry::Field* const field = first(names);
    return field == nullptr ? "" : text_of_latex(field->value);
  }

  std::string title() const {
    const std::string title = text({"title", "booktitle"}), more = text({"subtitle"});
    if (title.empty()) refuse_entry(entry_.line, "has no title; give it one");
    return more.empty() ? title : title + ": " + more;
  }

  /// Where it appeared: "Neural Computation 9(8):1735–1780".
  std::string source() const {
    std::string source = text({"journal", "journaltitle"});
    const std::string volume = text({"volume"}), number = text({"number", "issue"}), pages = text({"pages"});
    if (source.empty()) {
      source = text({"booktitle", "school", "institution", "organization", "publisher", "howpublished"});
      return source.starts_with("http") ? std::string() : source;
    }
    if (!volume.empty()) source += " " + volume + (number.empty() ? "" : "(" + number + ")");
    if (!volume.empty() && !pages.empty()) source += ":" + pages;
    return source;
  }

  /// YYYY, YYYY-MM or YYYY-MM-DD.
  std::string date() const {
    const BibEntry::Field* const field = first({"date", "year"});
    if (field == nullptr) return {};
    const std::string written = text_of_latex(field->value), whole = written.substr(0, written.find('/'));
    if (field->name == "date" && is_date(whole)) return whole;
    const std::string year = written.substr(0, 4);
    if (!is_date(year))
      refuse_entry(field->line, "has the " + field->name + " \"" + written +
                                    "\"; write it as 2017, and words into its note");
    const std::string month = month_of(text({"month"}));
    return month.empty() ? year : year + "-" + month;
  }

  /// "06" of "June", "jun" and "6"; else nothing.
  static std::string month_of(std::string_view written) {
    constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
    std::string begin(written.substr(0, 3));
    std::transform(begin.begin(), begin.end(), begin.begin(), to_lower);
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
      const std::string number = std::to_string(i + 1), two_digits = (i < 9 ? "0" : "") + number;
      if (begin == kMonths[i] || written == number || written == two_digits) return two_digits;
    }
    return {};
  }

  std::string url() const {
    const BibEntry::Field* const field = first({"url", "doi", "eprint", "howpublished"});
    if (field == nullptr) return {};
    std::string url = url_of_latex(field->value);
    if (field->name == "howpublished" && !url.starts_with("http")) return {};
    if (field->name == "doi" && !url.starts_with("http")) url.insert(0, "https://doi.org/");
    if (field->name == "eprint") {
      std::string archive = text({"archiveprefix", "eprinttype"});
      std::transform(archive.begin(), archive.end(), archive.begin(), to_lower);
      if (archive != "arxiv") return {};
      url.insert(0, "https://arxiv.org/abs/");
    }
    if (!is_web_address(url) || url.find_first_of(" \t\n") != std::string::npos)
      refuse_entry(field->line, "has a " + field->name + " that is no address, \"" + url +
                                    "\"; write one of http or https, without blanks");
    return url;
  }

  const BibEntry& entry_;
  const std::string& file_;
};

std::string environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::string() : value;
}

/// Where a lecture's references are.
struct ReferencesPlace {
  fs::path file;
  bool by_settings = false;  ///< because site.toml says so, and there are none beside the lecture
};

/// The lecture runs again when the file changes, or another is to be read.
void note_as_read(const ReferencesPlace& place) {
  add_dependency(place.file, place.by_settings ? environment(kReferencesReasonsVariable) : std::string());
}

/// A file of references, read once.
class References {
 public:
  explicit References(const fs::path& file) : name_(file.filename().string()), entries_(read_bibtex(file)) {}

  rendering::Link work(std::string_view key) const {
    const auto found = std::ranges::find(entries_, key, &BibEntry::key);
    if (found != entries_.end()) return CitedEntry(*found, name_).work();
    std::vector<std::string> keys;
    for (const BibEntry& entry : entries_) keys.push_back(entry.key);
    const std::string near = nearest(std::string(key), keys);
    throw Error(name_ + " has no entry \"" + std::string(key) + "\"; " +
                (near.empty() ? "add it, or correct the key" : "did you mean \"" + near + "\"?"));
  }

 private:
  std::string name_;
  std::vector<BibEntry> entries_;
};

const References& references_at(const ReferencesPlace& place) {
  static std::mutex mutex;
  static auto* const known = new std::map<fs::path, References>;
  const std::lock_guard lock(mutex);
  const auto found = known->find(place.file);
  if (found != known->end()) return found->second;
  note_as_read(place);
  return known->try_emplace(place.file, place.file).first->second;
}

/// Beside the lecture, else what the site's settings name; empty where nothing is recorded and there is none.
ReferencesPlace references_place(const fs::path& lecture) {
  std::error_code none;
  const fs::path folder = record::recording() ? record::lecture_folder() : lecture.parent_path();
  const fs::path beside = folder / kReferencesFile;
  if (fs::exists(beside, none)) return {beside};
  const fs::path named = environment(kReferencesVariable);
  if (!named.empty() && fs::exists(named, none)) return {named, true};
  if (!record::recording()) return {};
  note_as_read({named.empty() ? beside : named});  // that is not there: the lecture runs in each build
  if (!named.empty())
    refuse("cite: there is no " + named.filename().string() +
           " where site.toml says; correct `references` there");
  refuse(std::string("cite: there is no ") + kReferencesFile +
         " beside the lecture; write one, or name it in site.toml: references = \"…\"");
}

}  // namespace

void cite(std::string_view key, const char* lecture) {
  const ReferencesPlace place = references_place(lecture);
  if (place.file.empty()) return print_plain("[" + std::string(key) + "]");
  rendering::Link work;
  try {
    work = references_at(place).work(key);
  } catch (const Error& error) {
    refuse(std::string("cite: ") + error.what());
  }
  if (record::recording()) return add_rendering(work);
  print_plain(work.label.empty() ? work.title : work.label + " " + work.title);
}

}  // namespace lectern
