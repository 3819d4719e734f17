#include "edtrace/load.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <system_error>

#include "base/base64.h"
#include "base/characters.h"
#include "base/files.h"
#include "base/fnv.h"
#include "base/markdown_links.h"
#include "base/media_type.h"
#include "base/temporary_folder.h"
#include "edtrace/import.h"
#include "trace/reader.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

std::string ending_of_name(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::ranges::transform(ending, ending.begin(), to_lower);
  return ending == ".jpeg" ? ".jpg" : ending;
}

struct MediaFile {
  fs::path path;
  std::string_view ending;  ///< as its content says
};

/// What a link may lead to.
struct LinkedMedium {
  static constexpr std::array<std::string_view, 11> kEndings{
      ".pdf", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".mp4", ".webm", ".ogv"};
};

/// As the content says.
std::string_view file_ending(const fs::path& file) {
  const std::string beginning = read_beginning(file, kMediaTypeBytes);
  return beginning.starts_with("%PDF-") ? ".pdf" : media_ending(beginning);
}

/// The image or video of this name around a trace, if there is one. A trace from elsewhere must not publish
/// other files of this machine: only what browsers show, and links must not lead out of the folders.
template <typename Medium>
std::optional<MediaFile> find_around(const fs::path& trace, const std::string& name) {
  if (!inside_folder(name)) return {};
  fs::path folder = fs::absolute(trace).parent_path();
  for (int above = 0; above <= 2; ++above, folder = folder.parent_path()) {
    std::error_code error;
    const fs::path file = fs::weakly_canonical(folder / name, error);
    const fs::path inside = file.lexically_relative(fs::weakly_canonical(folder, error));
    if (!inside_folder(inside.generic_string()) || !fs::is_regular_file(file, error)) continue;
    const std::string_view ending = file_ending(file);
    if (std::ranges::count(Medium::kEndings, ending) != 0) return MediaFile{file, ending};
  }
  return {};
}

/// Where this process has what traces hold in themselves, by names that begin so.
constexpr std::string_view kUnpacked = "inline-";
const fs::path& unpacked_folder() {
  static const TemporaryFolder folder("media");
  return folder.path();
}

/// A medium that is in the trace itself, "data:image/png;base64,…", becomes a file of this process; its name,
/// or nothing when it is none.
template <typename Medium>
std::string unpacked(std::string_view address) {
  const std::size_t comma = address.find(',');
  if (!address.starts_with("data:") || !address.substr(0, comma).ends_with(";base64")) return {};
  const auto bytes = from_base64(address.substr(comma + 1));
  const std::string_view ending = media_ending(bytes.value_or(""));
  if (std::ranges::count(Medium::kEndings, ending) == 0) return {};
  std::string name = std::string(kUnpacked) + std::to_string(fnv1a_64(*bytes)) + std::string(ending);
  write_file_if_changed(unpacked_folder() / name, *bytes);
  return name;
}

/// The file that unpacked() gave this name; empty for any other.
fs::path unpacked_file(const std::string& name) {
  if (!name.starts_with(kUnpacked)) return {};
  std::error_code none;
  const fs::path file = unpacked_folder() / name;
  return fs::exists(file, none) ? file : fs::path();
}

/// Calls visit(medium) for the images and videos of a step, which it may change. Returns whether it changed
/// one.
template <typename Visit>
bool visit_media(StepDetails& details, const Visit& visit) {
  bool changed = false;
  for (Rendering& rendering : details.show) {
    std::visit(
        [&]<typename Form>(Form& form) {
          if constexpr (requires { Form::kEndings; }) changed |= visit(form);
        },
        rendering.form);
  }
  return changed;
}

bool may_show_media(const Step& step) {
  return step.text.find("\"src\"") != std::string::npos || step.text.find("](data:") != std::string::npos;
}

/// Gives the media of a step names that end as their contents say. Returns whether one has another name now.
bool name_media(StepDetails& details, const fs::path& trace) {
  bool changed = visit_media(details, [&]<typename Medium>(Medium& medium) {
    if (medium.src.starts_with("data:")) {
      medium.src = unpacked<Medium>(medium.src);
      if (medium.src.empty()) medium.src = "in the trace itself";
      return true;
    }
    const auto file = find_around<Medium>(trace, medium.src);
    if (!file || ending_of_name(medium.src) == file->ending) return false;
    medium.src += file->ending;
    return true;
  });
  for (Rendering& rendering : details.show) {
    auto* const text = std::get_if<rendering::Text>(&rendering.form);
    if (text == nullptr || text->markdown.find("](data:") == std::string::npos) continue;
    text->markdown = with_addresses(text->markdown, unpacked<LinkedMedium>);
    changed = true;
  }
  return changed;
}

/// The files that a step's links name: those of references, and of Markdown, `[text](file)`.
std::set<std::string> linked_names(const Step& step) {
  std::set<std::string> names;
  if (step.text.find("\"url\"") == std::string::npos && step.text.find("](") == std::string::npos)
    return names;
  const auto add = [&names](const std::string& address) {
    if (std::string name = linked_file(address).name; !name.empty()) names.insert(std::move(name));
    return std::string();
  };
  const StepDetails details = step.details();
  for (const Rendering& rendering : details.show) {
    if (const auto* const link = rendering.as<rendering::Link>()) add(link->url);
    if (const auto* const text = rendering.as<rendering::Text>()) with_addresses(text->markdown, add);
  }
  return names;
}

}  // namespace

Trace load_edtrace(std::string_view text, const fs::path& path) {
  Trace trace = parse_edtrace(text, path.string());
  for (Step& step : trace.steps) {
    if (!may_show_media(step)) continue;
    StepDetails details = step.details();
    if (name_media(details, path)) step.set_details(details);
  }
  return trace;
}

Trace load_trace(const fs::path& path) {
  const std::string text = read_trace_text(path);
  return is_edtrace(text) ? load_edtrace(text, path) : parse_trace(text, path.string());
}

std::map<std::string, fs::path> shown_files(const Trace& trace, const fs::path& path) {
  std::map<std::string, fs::path> files;
  fs::path assets = path;
  assets.replace_extension(".assets");
  for (const fs::path& file : files_below(assets)) files.emplace(file.generic_string(), assets / file);
  if (!came_from_edtrace(trace)) return files;
  for (const Step& step : trace.steps) {
    for (const std::string& name : linked_names(step)) {
      const auto file = find_around<LinkedMedium>(path, name);
      if (const fs::path inside = unpacked_file(name); !inside.empty()) files.emplace(name, inside);
      if (file) files.emplace(name, file->path);
    }
    if (!may_show_media(step)) continue;
    StepDetails details = step.details();
    visit_media(details, [&]<typename Medium>(const Medium& medium) {
      if (const fs::path inside = unpacked_file(medium.src); !inside.empty())
        files.emplace(medium.src, inside);
      if (files.contains(medium.src)) return false;
      auto file = find_around<Medium>(path, medium.src);
      // Its name may have got its ending from load_edtrace.
      if (!file) file = find_around<Medium>(path, fs::path(medium.src).replace_extension().generic_string());
      if (file && ending_of_name(medium.src) == file->ending) files.emplace(medium.src, file->path);
      return false;
    });
  }
  return files;
}

}  // namespace lectern
