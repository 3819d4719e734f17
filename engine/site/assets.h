#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lectern {

struct ImageSize {
  int width = 0, height = 0;
};

/// Natural size in CSS pixels, read from the beginning of a PNG, JPEG, GIF, WebP or SVG file.
std::optional<ImageSize> image_size(std::string_view bytes);

/// The files that a lecture showed (edtrace/load.h, shown_files). A page refers to them as assets/NAME.
class Assets {
 public:
  explicit Assets(std::map<std::string, std::filesystem::path> files = {}) : files_(std::move(files)) {}

  /// Whether there is a file of that name.
  bool contains(std::string_view name) const;
  /// What such a file contains.
  std::string content(std::string_view name) const;
  /// Where such a file lies.
  const std::filesystem::path& file(std::string_view name) const;
  /// Where the page finds it.
  static std::string url(std::string_view name);

  /// Where a link leads: to the page's copy of a file of the lecture, else where it says.
  std::string link(const std::string& address) const;
  /// Why a link to a file leads nowhere: the file is not among the lecture's. Empty for addresses on the web,
  /// places of the page, a run's index.html, and what is outside of the page's folder.
  std::string link_problem(const std::string& address) const;

  /// An image's element, `width` CSS pixels wide where that is not 0. Its class is "themed" when the file is
  /// an SVG that has colours for dark pages: any other image needs a light background there.
  std::string image(std::string_view name, std::string_view alt, int width = 0) const;

 private:
  std::map<std::string, std::filesystem::path> files_;
};

}  // namespace lectern
