#include "site/media.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/characters.h"
#include "base/html.h"
#include "base/language_tag.h"
#include "base/lines.h"
#include "base/media_type.h"
#include "base/utf8.h"
#include "site/translations.h"

namespace lectern {
namespace {

std::string_view take_vtt_line(std::string_view& text) {
  std::string_view line = take_line(text);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// "01:02.500" or "1:01:02.500", in seconds; negative for anything else, and for more hours than any video
/// has, whose seconds might not fit an integer.
double timestamp_of(std::string_view text) {
  constexpr double kSixty = 60, kMostHours = 1e6;
  double seconds = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view part = text.substr(0, end);
    double number = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool plain = !part.empty() && is_digit(part.front()) && part.find_first_of("eE") == part.npos;
    if (error != std::errc() || stop != part.data() + part.size() || !plain) return -1;
    seconds = seconds * kSixty + number;
    if (end == text.size()) return parts == 0 || seconds > kMostHours * kSixty * kSixty ? -1 : seconds;
    text.remove_prefix(end + 1);
  }
  return -1;
}

/// What a cue says, without its tags: "<v Ada>One &amp; two</v>".
std::string cue_text(std::string_view payload) {
  std::string tagless;
  for (std::size_t at = payload.find('<'); at != payload.npos; at = payload.find('<')) {
    tagless += payload.substr(0, at);
    payload.remove_prefix(std::min(payload.find('>', at), payload.size() - 1) + 1);
  }
  return html_to_text(tagless.append(payload));
}

/// In place of the captions on paper and without a player. From a folder, where browsers load no captions,
/// the page's script takes them from here.
std::string transcript_html(const rendering::Track& track, const std::vector<Cue>& cues) {
  std::string lines;
  for (const Cue& cue : cues) {
    lines += fmt::format(
        "<li data-begin=\"{:.3f}\" data-end=\"{:.3f}\"><span class=\"at\">{}</span> <span>{}</span></li>",
        cue.begin, cue.end, clock_text(cue.begin), escape_html(cue.text));
  }
  if (lines.empty()) return {};
  return "<details class=\"transcript\"><summary>Transcript, " +
         escape_html(track.label.empty() ? track.lang : track.label) + "</summary><ol" +
         language_attributes(track.lang) + ">" + lines + "</ol></details>";
}

}  // namespace

std::string figure_image(const Assets& assets, std::string_view name, std::string_view alt, int width) {
  return "<a class=\"enlarge\" href=\"" + Assets::url(name) + "\" title=\"Enlarge\">" +
         assets.image(name, alt, width) + "</a>";
}

std::string video_html(const Assets& assets, const rendering::Video& video, int width,
                       const std::function<void(const std::string&)>& warn) {
  std::string tracks, transcripts;
  for (const rendering::Track& track : video.captions) {
    const std::string text = assets.contains(track.src) ? assets.content(track.src) : std::string();
    if (media_ending(text) != ".vtt" || !valid_utf8(text)) {
      warn("the captions " + track.src +
           " are not among the lecture's files, or not WebVTT; run the lecture again");
      continue;
    }
    const auto [cues, refused] = webvtt_captions(text);
    const std::string transcript = transcript_html(track, cues);
    if (transcript.empty()) {
      warn("the captions " + track.src +
           " say nothing; are their times written like 00:01.000 --> 00:02.500?");
      continue;
    }
    if (refused > 0)
      warn(
          fmt::format("the captions {} have {} that cannot be shown; write their times like 00:01.000 --> "
                      "00:02.500, the later one second",
                      track.src, refused == 1 ? "a cue" : std::to_string(refused) + " cues"));
    transcripts += transcript;
    tracks += "<track kind=\"captions\" src=\"" + Assets::url(track.src) + "\"" +
              (is_language_tag(track.lang) ? " srclang=\"" + track.lang + "\"" : "") + " label=\"" +
              escape_html(track.label.empty() ? track.lang : track.label) + "\"" +
              (tracks.empty() ? " default=\"\">" : ">");
  }
  std::string html = "<video controls preload=\"metadata\" src=\"" + Assets::url(video.src) +
                     "\" aria-label=\"" + escape_html(video.alt) + "\"";
  if (assets.contains(video.poster)) html += " poster=\"" + Assets::url(video.poster) + "\"";
  if (width > 0) html += fmt::format(" width=\"{}\"", width);
  return html + ">" + tracks + "</video>" + transcripts;
}

std::string clock_text(double seconds) {
  constexpr int kSixty = 60;
  const auto whole = static_cast<long long>(seconds);
  const long long hours = whole / kSixty / kSixty, minutes = whole / kSixty % kSixty;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % kSixty)
                   : fmt::format("{}:{:02}", minutes, whole % kSixty);
}

Captions webvtt_captions(std::string_view text) {
  constexpr std::string_view kArrow = "-->";
  Captions captions;
  while (!text.empty()) {
    const std::string_view line = take_vtt_line(text);
    const std::size_t arrow = line.find(kArrow);
    if (arrow == line.npos) continue;
    const std::string_view end = trim(line.substr(arrow + kArrow.size()));
    Cue cue{
        timestamp_of(trim(line.substr(0, arrow))), timestamp_of(end.substr(0, end.find_first_of(" \t"))), {}};
    std::string payload;
    for (std::string_view next = take_vtt_line(text); !next.empty(); next = take_vtt_line(text))
      payload.append(payload.empty() ? "" : "\n").append(next);
    cue.text = cue_text(payload);
    if (cue.begin >= 0 && cue.end > cue.begin) {
      captions.cues.push_back(std::move(cue));
    } else {
      ++captions.refused;
    }
  }
  return captions;
}

}  // namespace lectern
