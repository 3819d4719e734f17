#include <string>
#include <string_view>
#include <vector>

#include "base/date.h"
#include "lecture/checks.h"
#include "lecture/code_link.h"
#include "lecture/hooks.h"
#include "lecture/rendering.h"
#include "trace/reference_label.h"

namespace lectern {
namespace {

void check(const Reference& reference) {
  if (reference.title.empty() && reference.url.empty()) {
    refuse("link: the reference has neither title nor url; give it one");
  }
  if (!reference.date.empty() && !is_date(reference.date)) {
    refuse("link: \"" + std::string(reference.date) +
           "\" is not a date; write it as YYYY, YYYY-MM or YYYY-MM-DD");
  }
  for (const std::string_view author : reference.authors) {
    if (author.find_first_not_of(' ') == std::string_view::npos) {
      refuse("link: one of the authors is empty; name them or leave the list out");
    }
  }
  if (!reference.url.empty()) check_url("link", reference.url);
}

}  // namespace

void link(std::string_view url, std::string_view label) {
  check_url("link", url);
  if (!record::recording()) {
    return print_plain(label.empty() ? std::string(url) : std::string(label) + " <" + std::string(url) + ">");
  }
  add_rendering(rendering::Link{.url = std::string(url), .label = std::string(label)});
}

void link(const Reference& reference) {
  check(reference);
  const std::vector<std::string> authors(reference.authors.begin(), reference.authors.end());
  const std::string label = reference_label(authors, reference.date);
  if (!record::recording()) {
    const std::string title(reference.title.empty() ? reference.url : reference.title);
    return print_plain(label.empty() ? title : label + " " + title);
  }
  add_rendering(rendering::Link{.url = std::string(reference.url),
                                .title = std::string(reference.title),
                                .label = label,
                                .authors = authors,
                                .organization = std::string(reference.organization),
                                .date = std::string(reference.date),
                                .description = std::string(reference.description),
                                .notes = std::string(reference.notes)});
}

void link_to_code(std::string_view name) {
  if (!record::recording()) return print_plain(name);
  const probe::Function* function = record::find_function(name);
  if (function == nullptr && !record::has_class(without_arguments(name))) {
    refuse("link: the lecture has no function or class " + std::string(name) +
           "; only what stands in the lecture's own files can be linked to");
  }
  add_rendering(rendering::Link{.function = function == nullptr ? std::string(name) : function->name});
}

}  // namespace lectern
