#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace lectern {

/// What `site.toml` says of a site as a whole. Without the file, all is as in a new object.
struct SiteSettings {
  struct MenuItem {
    std::string name;
    std::string url;  ///< on the web, or relative to the home page
  };
  /// Where the sources are, for "Edit this page".
  struct Repository {
    std::string url = {};
    std::string branch = "main";
    std::string folder = "lectures";  ///< of the lectures in it
  };
  /// A course, for the home page: what it is for, and what happens when.
  struct Course {
    struct Assignment {
      std::string name;
      std::string url;  ///< as of a MenuItem; may be empty
      std::string due;  ///< YYYY-MM-DD, or empty
    };
    struct Week {
      std::string title;
      std::string begins;                 ///< YYYY-MM-DD, or empty
      std::vector<std::string> lectures;  ///< names of the site's, or what is announced in place of one
      std::vector<Assignment> assignments;
    };
    std::vector<std::string> goals;
    std::vector<std::string> prerequisites;
    std::vector<Week> weeks;
  };
  /// Functions of a lecture and of the run beside it, in another language (beside.h), that correspond though
  /// their names do not tell.
  struct FunctionPair {
    std::string first, other;
    Place place = {};
  };
  struct Beside {
    std::vector<FunctionPair> functions = {};
    Place place = {};
  };

  std::string title = {};
  std::string description = {};
  std::string base_url = {};    ///< where the home page will be, with a slash at its end
  std::string language = "en";  ///< of lectures that do not give theirs
  std::string references = {};  ///< the file of the works that lectures cite, where it is not beside them
  /// In which lectures say the same (hooks.h, Translation), in the order of the choice among them.
  std::vector<std::string> languages = {};
  std::vector<MenuItem> menu = {};
  Repository repository = {};
  Course course = {};
  std::map<std::string, Beside> beside = {};  ///< by the name of the lecture
};

/// The name of the file, in the folder that `lectures/` is in.
inline constexpr const char* kSiteSettingsFile = "site.toml";

/// Throws Error, "site.toml:LINE: what is wrong; what to do". `file` is for messages.
SiteSettings parse_site_settings(std::string_view text, const std::string& file);

/// A missing file is an empty one. What it names of files is relative to its folder.
SiteSettings read_site_settings(const std::filesystem::path& file);

}  // namespace lectern
