#include "site/cover_picture.h"

#include "base/files.h"
#include "base/temporary_folder.h"
#include "site/assets.h"
#include "site/drawing_program.h"

namespace lectern {
namespace {

constexpr int kMostSeconds = 20;

std::string cover_problem(Ran ran) {
  switch (ran) {
    case Ran::not_found:
      return "there is no Node.js, which draws it; install nodejs";
    case Ran::too_long:
      return "it takes longer than " + std::to_string(kMostSeconds) + " s";
    case Ran::failed:
    case Ran::done:
      break;
  }
  return "its SVG cannot be drawn; correct it, or take a PNG";
}

}  // namespace

CoverPicture draw_cover(const std::filesystem::path& svg, const std::filesystem::path& templates) {
  const TemporaryFolder folder("drawings");
  const std::filesystem::path png = folder.path() / kCoverPicture;
  const Ran ran = run_program({"node", std::filesystem::absolute(templates / "cover/draw_cover.mjs"),
                               std::filesystem::absolute(svg), png},
                              kMostSeconds);
  if (ran == Ran::done && std::filesystem::exists(png)) return {.png = read_file(png), .problem = {}};
  return {.png = {}, .problem = cover_problem(ran)};
}

bool is_drawn_cover(const rendering::Cover& cover) {
  return inside_folder(cover.src) && cover.src.ends_with(".svg");
}

std::string cover_picture(const LectureSummary& lecture) {
  const rendering::Cover& cover = *lecture.front.cover;
  if (is_drawn_cover(cover)) return lecture.cover_drawn ? kCoverPicture : "";
  return cover.src.empty() || !inside_folder(cover.src) ? "" : Assets::url(cover.src);
}

}  // namespace lectern
