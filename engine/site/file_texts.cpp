#include "site/file_texts.h"

#include <optional>

#include "base/files.h"
#include "base/media_type.h"
#include "base/utf8.h"
#include "edtrace/viewer.h"
#include "site/media.h"

namespace lectern {
namespace {

using FilesByName = std::map<std::string, std::filesystem::path>;

std::optional<std::string> text_of_file(const FilesByName& files, const std::string& name) {
  const auto found = files.find(name);
  if (found == files.end()) return std::nullopt;
  std::string text = read_file(found->second);
  return valid_utf8(text) ? std::optional(std::move(text)) : std::nullopt;
}

/// Fenced: it is text, whatever stands in it.
std::string transcript_markdown(const rendering::Track& track, const std::string& webvtt) {
  std::string lines;
  for (const Cue& cue : webvtt_captions(webvtt).cues) lines += clock_text(cue.begin) + " " + cue.text + "\n";
  if (lines.empty()) return {};
  return "Transcript, " + (track.label.empty() ? track.lang : track.label) + ":\n\n" + fenced(lines, "text");
}

}  // namespace

std::vector<std::string> file_texts(const Rendering& rendering, const FilesByName& files) {
  std::vector<std::string> texts;
  if (const auto* const exercise = rendering.as<rendering::Exercise>()) {
    if (const auto starter = text_of_file(files, exercise->starter)) texts.push_back(fenced(*starter, "cpp"));
  }
  if (const auto* const video = rendering.as<rendering::Video>()) {
    for (const rendering::Track& track : video->captions) {
      const auto webvtt = text_of_file(files, track.src);
      std::string transcript =
          webvtt && media_ending(*webvtt) == ".vtt" ? transcript_markdown(track, *webvtt) : "";
      if (!transcript.empty()) texts.push_back(std::move(transcript));
    }
  }
  return texts;
}

}  // namespace lectern
