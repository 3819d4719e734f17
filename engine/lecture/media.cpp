#include "lecture/media.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>

#include "base/files.h"
#include "base/media_type.h"
#include "base/utf8.h"
#include "lecture/checks.h"
#include "lecture/dependencies.h"
#include "lecture/hooks.h"
#include "lecture/rendering.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

struct StarterFile {
  static constexpr std::array<std::string_view, 1> kEndings{".cpp"};
};

template <typename Medium>
void check_ending(const std::string& shown, const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto& endings = Medium::kEndings;
  if (std::find(endings.begin(), endings.end(), ending) != endings.end()) return;
  std::string known;
  for (const std::string_view each : endings) known.append(known.empty() ? "" : ", ").append(each);
  refuse(shown + "is not a kind of file that browsers show; use one of " + known);
}

/// The file, inside the lecture's folder whatever links it goes through.
template <typename Medium>
fs::path find(const std::string& hook, std::string_view name) {
  const std::string shown = hook + ": \"" + std::string(name) + "\" ";
  if (name.empty()) refuse(hook + ": the path is empty; name a file beside the lecture");
  if (!url_scheme(name).empty() || name.substr(0, 2) == "//") {
    refuse(
        shown +
        "is an address, and a page must work without a network; put the file beside the lecture and name it");
  }
  const fs::path path(name);
  const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
  if (path.is_absolute() || climbs) {
    refuse(shown + "is outside of the lecture's folder; put the file beside the lecture");
  }
  check_ending<Medium>(shown, path);
  std::error_code none;
  const fs::path folder = fs::weakly_canonical(record::lecture_folder(), none);
  const fs::path file = fs::weakly_canonical(folder / path, none);
  add_shown_file(file);
  if (!fs::exists(file, none)) {
    refuse(shown + "does not exist beside the lecture; put it there or correct the name");
  }
  const fs::path inside = file.lexically_relative(folder);
  if (inside.empty() || *inside.begin() == "..") {
    refuse(shown + "leads outside of the lecture's folder; put the file itself beside the lecture");
  }
  if (!fs::is_regular_file(file, none)) refuse(shown + "is not a file; name a file");
  return file;
}

/// Puts a file into the trace's assets; the name that it has there. Equal names of different files get
/// numbers.
std::string add_asset(const fs::path& file, const std::string& content) {
  static std::map<std::string, std::string> contents;  // of the assets made by this run, by name
  std::string name = file.filename().string();
  for (int number = 2;; ++number) {
    const auto [asset, is_new] = contents.try_emplace(name, content);
    if (asset->second == content) break;
    name = file.stem().string() + "-" + std::to_string(number) + file.extension().string();
  }
  write_file_if_changed(record::assets_folder() / name, content);
  return name;
}

void print_medium(const std::string& hook, std::string_view name, const std::string& alt) {
  print_plain("[" + hook + " " + std::string(name) + (alt.empty() ? "]" : ": " + alt + "]"));
}

void warn_without_alt(const std::string& hook, std::string_view name, const std::string& alt) {
  if (!alt.empty()) return;
  record::warn(hook + ": \"" + std::string(name) +
               "\" has no text for those who don't see it; add {.alt = \"…\"}");
}

/// The rendering without what only one kind of medium has.
template <typename Medium, typename StyleOf>
Medium make_medium(std::string_view name, const fs::path& file, const std::string& content,
                   const StyleOf& style) {
  const std::string hook(Medium::kHook);
  if (style.width < 0) refuse(hook + ": a width can't be negative; leave it out for the natural one");
  check_language(hook, style.language);
  warn_without_alt(hook, name, style.alt);
  return {add_asset(file, content), style.alt, style.caption, style.width, style.language};
}

rendering::Track add_captions(const Captions& captions) {
  const std::string hook = "video: the captions";
  const fs::path file = find<rendering::Track>(hook, captions.file);
  const std::string content = read_file(file), shown = hook + ": \"" + captions.file + "\" ";
  if (media_ending(content) != ".vtt" || !valid_utf8(content))
    refuse(shown + "is not WebVTT, in UTF-8; its first line is WEBVTT");
  if (captions.language.empty()) refuse(shown + "has no language; add it like {\"a.vtt\", \"en\"}");
  check_language(hook, captions.language);
  return {add_asset(file, content), captions.language, captions.label};
}

}  // namespace

std::string add_image(const std::string& hook, std::string_view path, const std::string& alt) {
  const fs::path file = find<rendering::Image>(hook, path);
  warn_without_alt(hook, path, alt);
  return add_asset(file, read_file(file));
}

std::string add_starter(const std::string& hook, const std::string& name) {
  if (fs::path(name).has_parent_path() || fs::path(name).has_extension()) {
    refuse(hook + ": \"" + name +
           "\" is no name of a starter; the file starters/NAME.cpp beside the lecture has NAME");
  }
  const fs::path file = find<StarterFile>(hook, "starters/" + name + ".cpp");
  const std::string content = read_file(file);
  if (content.find("#include <lectern/exercise.h>") == std::string::npos) {
    refuse(hook + ": \"starters/" + name +
           ".cpp\" does not include <lectern/exercise.h>, so the first claim that fails would end it; "
           "include that in place of <lectern/lecture.h>");
  }
  return add_asset(file, content);
}

void image(std::string_view path, const Style& style) {
  if (!record::recording()) return print_medium("image", path, style.alt);
  const fs::path file = find<rendering::Image>("image", path);
  add_rendering(make_medium<rendering::Image>(path, file, read_file(file), style));
}
void image(const Drawing& drawing, const Style& style) {
  const fs::path file(drawing.name);
  if (file != file.filename() || file.stem().empty() || file.extension() != ".svg") {
    refuse("image: \"" + drawing.name + "\" is no name for a drawing; name it like \"loss.svg\"");
  }
  if (drawing.svg.find("<svg") == std::string::npos) {
    refuse("image: the drawing \"" + drawing.name + "\" is not SVG; it begins with <svg …>");
  }
  if (!record::recording()) return print_medium("image", drawing.name, style.alt);
  add_rendering(make_medium<rendering::Image>(drawing.name, file, drawing.svg, style));
}
void video(std::string_view path, const VideoStyle& style) {
  if (!record::recording()) return print_medium("video", path, style.alt);
  const fs::path file = find<rendering::Video>("video", path);
  auto shown = make_medium<rendering::Video>(path, file, read_file(file), style);
  if (style.captions.empty() && !style.silent) {
    record::warn(
        "video: \"" + std::string(path) +
        "\" has no captions for those who don't hear it; add {.captions = {{\"….vtt\", \"en\"}}}, or "
        ".silent = true if it has no sound");
  }
  for (const Captions& captions : style.captions) shown.captions.push_back(add_captions(captions));
  if (!style.poster.empty()) {
    const fs::path poster = find<rendering::Image>("video: the poster", style.poster);
    shown.poster = add_asset(poster, read_file(poster));
  }
  add_rendering(shown);
}

}  // namespace lectern
