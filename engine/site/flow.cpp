#include "site/flow.h"

#include <utility>

#include "base/joining.h"
#include "site/writing.h"

namespace lectern {

void Flow::add_inline(std::string_view html) {
  if (blank_between(paragraph_, html)) paragraph_ += ' ';
  paragraph_ += html;
}

void Flow::add_block(std::string_view html) {
  end_paragraph();
  html_ += html;
}

void Flow::add_prose(std::string_view html) {
  add_block("<div class=\"prose\"" + writing(html) + ">");
  html_ += html;
  html_ += "</div>";
}

std::string Flow::writing(std::string_view text) const {
  return language_is_known_ ? "" : writing_attributes(text);
}

void Flow::end_paragraph() {
  if (!paragraph_.empty()) add_prose("<p>" + std::exchange(paragraph_, {}) + "</p>");
}

std::string Flow::take() {
  end_paragraph();
  return std::exchange(html_, {});
}

}  // namespace lectern
