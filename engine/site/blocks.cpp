#include "site/blocks.h"

#include <algorithm>
#include <array>

#include "site/html_tags.h"

namespace lectern {
namespace {

/// Bytes of HTML: a window full of code.
constexpr std::size_t kBlockSize = 16 << 10;

/// Pixels: how far a laptop's window reaches, down to the bar, and a sixth more, since so much too much is
/// estimated at times; how far a high one does; how high a block in it is.
constexpr double kShortWindow = 940, kTallWindow = 1400, kNearBlockHeight = 120;
/// Of the page.
constexpr double kHeader = 140, kCodeLine = 23, kMargins = 18, kParagraphGap = 14, kProseLine = 27;
constexpr double kLettersOnLine = 85;

double estimated_height(std::string_view html) {
  constexpr std::array<std::string_view, 5> kBegins = {"p", "li", "h2", "h3", "tr"};
  std::size_t letters = 0, parts = 0, at = 0;
  for (auto tag = next_tag_of_any_kind(html, 0); tag; tag = next_tag_of_any_kind(html, at)) {
    letters += tag->begin - at;
    const bool takes_no_room = !tag->is_end() && (tag->name == "math" || tag->is_a("card"));
    at = takes_no_room ? element_end(html, *tag) : tag->end;
    if (!tag->is_end()) parts += static_cast<std::size_t>(std::ranges::count(kBegins, tag->name));
  }
  letters += html.size() - at;
  return kMargins + kParagraphGap * static_cast<double>(parts) +
         kProseLine * static_cast<double>(letters) / kLettersOnLine;
}

}  // namespace

Blocks::Blocks(std::string& out) : out_(out), height_(kHeader) {}

bool Blocks::is_far() const {
  return height_ >= kTallWindow;
}

std::string_view Blocks::below_class() const {
  return is_far() ? " far" : height_ >= kShortWindow ? " tall" : "";
}

void Blocks::begin(bool folds) {
  out_ += "<div class=\"block";
  if (!is_far()) out_.append(" near").append(below_class());
  out_ += "\">\n";
  begin_ = out_.size();
  top_ = height_;
  reads_ = false;
  folds_ = folds;
}

void Blocks::next() {
  const bool is_high = top_ < kTallWindow && (is_far() || height_ - top_ > kNearBlockHeight);
  if (!is_high && out_.size() - begin_ <= kBlockSize) return;
  end();
  begin(folds_);
}

/// What has nothing but lines of raw view is no box outside of it: each costs a step a little.
void Blocks::end() {
  if (!reads_) out_.insert(begin_ - std::string_view("\">\n").size(), " raw");
  out_ += "</div>\n";
}

void Blocks::add_line() {
  if (!folds_) height_ += kCodeLine;
}

void Blocks::add_html(std::string_view html) {
  if (!folds_ && !is_far()) height_ += estimated_height(html);
}

}  // namespace lectern
