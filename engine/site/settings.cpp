#include "site/settings.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "base/error.h"
#include "base/files.h"
#include "base/html.h"
#include "base/language_tag.h"
#include "base/nearest.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

std::string type_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    default:
      return "a date or time";
  }
}

bool is_web_address(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!url.starts_with(scheme)) continue;
    const std::string_view host = url.substr(scheme.size());
    return !host.empty() && host.front() != '/' && host.find_first_of(" \t\"<>\\") == std::string_view::npos;
  }
  return false;
}

/// At the end of the address that a repository is cloned from; its pages have none.
constexpr std::string_view kCloned = ".git";

/// Reads tables key by key; what is wrong is an error at its line.
class SettingsReader {
 public:
  explicit SettingsReader(std::string file) : file_(std::move(file)) {}

  SiteSettings read(const toml::table& table) const {
    SiteSettings settings;
    read_table(table, "",
               {{"title", into(settings.title)},
                {"description", into(settings.description)},
                {"base_url", [&](const Entry& entry) { settings.base_url = base_url(entry); }},
                {"language", [&](const Entry& entry) { settings.language = language(entry); }},
                {"references", into(settings.references)},
                {"languages", [&](const Entry& entry) { settings.languages = languages(entry); }},
                {"menu", [&](const Entry& entry) { settings.menu = menu(entry); }},
                {"repository", [&](const Entry& entry) { settings.repository = repository(entry); }},
                {"analytics", [&](const Entry& entry) { check_analytics(entry); }},
                {"course", [&](const Entry& entry) { settings.course = course(entry); }},
                {"beside", [&](const Entry& entry) { settings.beside = beside(entry); }}});
    // Without a language of its own, a site has the first of those that it is in.
    if (!settings.languages.empty() && !table.contains("language"))
      settings.language = settings.languages.front();
    return settings;
  }

 private:
  struct Entry {
    std::string name;  ///< with those of its tables
    const toml::node& node;
  };
  struct Key {
    std::string name;
    std::function<void(const Entry&)> read;
  };

  [[noreturn]] void refuse(const toml::source_region& place, const std::string& what) const {
    throw Error(place_of(place), what);
  }
  Place place_of(const toml::source_region& place) const {
    return {.file = file_, .line = static_cast<int>(place.begin.line)};
  }
  [[noreturn]] void refuse_type(const Entry& entry, const std::string& expected) const {
    refuse(entry.node.source(), "`" + entry.name + "` is " + type_text(entry.node) + "; " + expected);
  }

  void read_table(const toml::table& table, const std::string& outer, const std::vector<Key>& keys) const {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const auto known =
          std::find_if(keys.begin(), keys.end(), [&](const Key& each) { return each.name == name; });
      if (known == keys.end()) refuse_key(key.source(), name, outer, keys);
      known->read({outer + name, node});
    }
  }

  [[noreturn]] void refuse_key(const toml::source_region& place, const std::string& name,
                               const std::string& outer, const std::vector<Key>& keys) const {
    std::vector<std::string> names;
    names.reserve(keys.size());
    for (const Key& key : keys) names.push_back(key.name);
    const std::string near = nearest(name, names);
    const std::string remedy =
        near.empty() ? fmt::format("use one of {}", fmt::join(names, ", ")) : "did you mean `" + near + "`?";
    refuse(place, "there is no setting `" + outer + name + "`; " + remedy);
  }

  std::string text(const Entry& entry) const {
    if (!entry.node.is_string()) refuse_type(entry, "write a text, in quotes");
    return entry.node.as_string()->get();
  }
  std::function<void(const Entry&)> into(std::string& setting) const {
    return [this, &setting](const Entry& entry) { setting = text(entry); };
  }

  std::vector<std::string> texts(const Entry& entry) const {
    const toml::array* const items = entry.node.as_array();
    if (items == nullptr) refuse_type(entry, "write a list of texts, in square brackets");
    std::vector<std::string> texts;
    for (const toml::node& node : *items) texts.push_back(text({entry.name, node}));
    return texts;
  }
  std::function<void(const Entry&)> into(std::vector<std::string>& setting) const {
    return [this, &setting](const Entry& entry) { setting = texts(entry); };
  }

  std::function<void(const Entry&)> into_day(std::string& setting) const {
    return [this, &setting](const Entry& entry) {
      const auto* const date = entry.node.as_date();
      if (date == nullptr) refuse_type(entry, "write a date like 2026-09-07, without quotes");
      const toml::date day = date->get();
      setting = fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
    };
  }

  /// Calls `read` with each table of a list of tables.
  void read_tables(const Entry& entry, const std::string& remedy,
                   const std::function<void(const toml::table&)>& read) const {
    const toml::array* const items = entry.node.as_array();
    if (items == nullptr) refuse_type(entry, remedy);
    for (const toml::node& node : *items) {
      if (!node.is_table()) refuse_type({entry.name, node}, remedy);
      read(*node.as_table());
    }
  }

  std::function<void(const Entry&)> into_link(std::string& setting) const {
    return [this, &setting](const Entry& entry) {
      setting = text(entry);
      if (setting.empty() || safe_link(setting)) return;
      refuse(entry.node.source(), "\"" + setting +
                                      "\" is not a link; use an address of the web, of mail, or one "
                                      "relative to the home page");
    };
  }

  void check_analytics(const Entry& entry) const {
    if (text(entry) == "none") return;
    refuse(entry.node.source(),
           "`analytics`: pages ask nobody else for anything; write \"none\", or leave it out");
  }

  std::string web_address(const Entry& entry) const {
    std::string url = text(entry);
    if (!url.empty() && !is_web_address(url)) {
      refuse(entry.node.source(), "`" + entry.name + "` is not an address of the web; write it like " +
                                      "\"https://example.org/course/\"");
    }
    return url;
  }

  std::string base_url(const Entry& entry) const {
    std::string url = web_address(entry);
    if (url.find_first_of("?#") != std::string::npos)
      refuse(entry.node.source(),
             "`base_url` has more than a path; leave out what follows it, from ? or # on");
    if (!url.empty() && !url.ends_with('/')) url += '/';
    return url;
  }

  std::string language(const Entry& entry) const {
    std::string tag = text(entry);
    if (!is_language_tag(tag))
      refuse(entry.node.source(), "`" + entry.name + "`: \"" + tag +
                                      "\" is not the tag of a language; write it like \"en\" or \"pt-BR\"");
    return tag;
  }

  std::vector<std::string> languages(const Entry& entry) const {
    const toml::array* const items = entry.node.as_array();
    if (items == nullptr) refuse_type(entry, R"(write a list like ["en", "fr"])");
    std::vector<std::string> tags;
    for (const toml::node& node : *items) {
      std::string tag = language({entry.name, node});
      if (std::ranges::any_of(tags, [&](const std::string& before) { return is_same_language(before, tag); }))
        refuse(node.source(), "`languages` has \"" + tag + "\" twice; leave one out");
      tags.push_back(std::move(tag));
    }
    return tags;
  }

  std::vector<SiteSettings::MenuItem> menu(const Entry& entry) const {
    std::vector<SiteSettings::MenuItem> menu;
    read_tables(entry, "write [[menu]] before the name and url of each entry", [&](const toml::table& table) {
      SiteSettings::MenuItem& item = menu.emplace_back();
      read_table(table, "menu.", {{"name", into(item.name)}, {"url", into_link(item.url)}});
      if (item.name.empty() || item.url.empty())
        refuse(table.source(), "this entry of the menu has no name, or no url; give it both");
    });
    return menu;
  }

  using Course = SiteSettings::Course;

  Course course(const Entry& entry) const {
    const toml::table* const table = entry.node.as_table();
    if (table == nullptr) refuse_type(entry, "write [course], and its goals and weeks below");
    Course course;
    read_table(*table, "course.",
               {{"goals", into(course.goals)},
                {"prerequisites", into(course.prerequisites)},
                {"week", [&](const Entry& weeks) {
                   read_tables(weeks, "write [[course.week]] before what each week has",
                               [&](const toml::table& week) { course.weeks.push_back(read_week(week)); });
                 }}});
    return course;
  }

  Course::Week read_week(const toml::table& table) const {
    Course::Week week;
    const auto read_assignment = [&](const toml::table& assignment) {
      Course::Assignment& read = week.assignments.emplace_back();
      read_table(assignment, "course.week.assignment.",
                 {{"name", into(read.name)}, {"url", into_link(read.url)}, {"due", into_day(read.due)}});
      if (read.name.empty()) refuse(assignment.source(), "this assignment has no name; give it one");
    };
    read_table(table, "course.week.",
               {{"title", into(week.title)},
                {"begins", into_day(week.begins)},
                {"lectures", into(week.lectures)},
                {"assignment", [&](const Entry& entry) {
                   read_tables(entry, "write [[course.week.assignment]] before the name, url and due of each",
                               read_assignment);
                 }}});
    return week;
  }

  const toml::table& names(const Entry& entry, const std::string& remedy) const {
    if (!entry.node.is_table()) refuse_type(entry, remedy);
    return *entry.node.as_table();
  }

  std::map<std::string, SiteSettings::Beside> beside(const Entry& entry) const {
    constexpr const char* kRemedy = "write [beside.LECTURE], and below `\"function\" = \"its counterpart\"`";
    std::map<std::string, SiteSettings::Beside> lectures;
    for (const auto& [lecture, node] : names(entry, kRemedy)) {
      const Entry functions{entry.name + "." + std::string(lecture.str()), node};
      SiteSettings::Beside& beside = lectures[std::string(lecture.str())];
      beside.place = place_of(lecture.source());
      for (const auto& [function, other] : names(functions, kRemedy)) {
        const std::string name(function.str());
        beside.functions.push_back(
            {name, text({functions.name + "." + name, other}), place_of(function.source())});
      }
    }
    return lectures;
  }

  SiteSettings::Repository repository(const Entry& entry) const {
    const toml::table* const table = entry.node.as_table();
    if (table == nullptr) refuse_type(entry, "write [repository], and its url below");
    SiteSettings::Repository repository;
    read_table(*table, "repository.",
               {{"url", [&](const Entry& url) { repository.url = web_address(url); }},
                {"branch", into(repository.branch)},
                {"folder", into(repository.folder)}});
    while (repository.url.ends_with('/')) repository.url.pop_back();
    if (repository.url.ends_with(kCloned)) repository.url.resize(repository.url.size() - kCloned.size());
    return repository;
  }

  std::string file_;
};

}  // namespace

SiteSettings parse_site_settings(std::string_view text, const std::string& file) {
  try {
    return SettingsReader(file).read(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    throw Error(
        Place{.file = file, .line = static_cast<int>(error.source().begin.line)},
        "is not TOML: " + std::string(error.description()) + "; https://toml.io says how it is written");
  }
}

SiteSettings read_site_settings(const fs::path& file) {
  if (!fs::exists(file)) return {};
  SiteSettings settings = parse_site_settings(read_file(file), file.string());
  if (!settings.references.empty()) settings.references = file.parent_path() / settings.references;
  return settings;
}

}  // namespace lectern
