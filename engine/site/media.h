#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "site/assets.h"
#include "trace/trace.h"

namespace lectern {

/// A figure's image, which leads to its file: the page's script shows it large
/// (site_templates/src/lightbox.ts).
std::string figure_image(const Assets& assets, std::string_view name, std::string_view alt, int width = 0);

/// A video that is among the assets, with its captions, and what these say as a text below it. Calls `warn`
/// for captions that cannot be shown.
std::string video_html(const Assets& assets, const rendering::Video& video, int width,
                       const std::function<void(const std::string&)>& warn);

/// What is said at a time of a video.
struct Cue {
  double begin = 0, end = 0;  ///< in seconds
  std::string text;           ///< plain, a line for each line of it
};

/// What a WebVTT file says; what it has besides cues is left out.
struct Captions {
  std::vector<Cue> cues;
  std::size_t refused = 0;  ///< cues whose times cannot be read, run backwards or are beyond any video's
};
Captions webvtt_captions(std::string_view text);

/// "1:02:05"
std::string clock_text(double seconds);

}  // namespace lectern
