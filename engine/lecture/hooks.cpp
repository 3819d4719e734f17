#include "lecture/hooks.h"

#include <algorithm>
#include <cstdio>

#include "lecture/checks.h"
#include "lecture/rendering.h"

namespace lectern {

void print_plain(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

void refuse(const std::string& message) {
  throw Error(record::recording() ? record::here() : Place{}, message);
}

namespace {

std::string paragraph(std::string_view title, std::string_view text) {
  std::string result(title);
  if (!title.empty() && !text.empty()) result += ": ";
  return result.append(text);
}

std::string name_of(Callout type) {
  const auto index = static_cast<std::size_t>(type);
  if (index >= rendering::Callout::kTypes.size())
    refuse("callout: there is no such type; use one of Callout's");
  return std::string(rendering::Callout::kTypes[index]);
}

void check_no_empty(const std::vector<std::string>& texts, const std::string& what) {
  if (std::find(texts.begin(), texts.end(), "") != texts.end())
    refuse(what + " is empty; name it or leave it out");
}

}  // namespace

void lecture(const FrontMatter& front) {
  if (front.title.empty()) refuse("lecture: the title is missing; add .title = \"…\"");
  if (front.date.empty()) refuse("lecture: the date is missing; add .date = \"YYYY-MM-DD\"");
  if (front.date.size() != 10 || !is_date(front.date)) {
    refuse("lecture: \"" + front.date + "\" is not a date; write it as YYYY-MM-DD");
  }
  check_no_empty(front.authors, "lecture: one of the authors");
  check_no_empty(front.tags, "lecture: one of the tags");
  if (!record::recording()) return print_plain("# " + front.title);
  show(rendering::Front{front.title, front.date, front.authors, front.tags, front.description, front.course});
}

void text(std::string_view markdown) {
  if (!record::recording()) return print_plain(markdown);
  show(rendering::Text{std::string(markdown)});
}

void verbatim(std::string_view text) {
  if (!record::recording()) return print_plain(text);
  show(rendering::Verbatim{std::string(text), {}});
}

void card(std::string_view title, std::string_view markdown, std::string_view url) {
  if (title.empty() && markdown.empty()) refuse("card: it has neither title nor text; give it one");
  if (!url.empty()) check_url("card", url);
  if (!record::recording()) return print_plain(paragraph(title, markdown));
  show(rendering::Card{std::string(title), std::string(markdown), std::string(url)});
}

void callout(Callout type, std::string_view markdown, std::string_view title) {
  const std::string name = name_of(type);
  if (!record::recording())
    return print_plain(paragraph(title.empty() ? std::string_view(name) : title, markdown));
  show(rendering::Callout{name, std::string(title), std::string(markdown)});
}

void exercise(std::string_view markdown, std::string_view answer) {
  if (!record::recording()) return print_plain(paragraph("Exercise", markdown));
  show(rendering::Exercise{std::string(markdown), std::string(answer)});
}

void note(std::string_view markdown) {
  if (!record::recording()) return;  // for the speaker only
  show(rendering::Note{std::string(markdown)});
}

void tabs(const std::vector<Tab>& alternatives) {
  if (alternatives.size() < 2) refuse("tabs: there are fewer than two alternatives; add one, or use text()");
  rendering::Tabs tabs;
  for (const Tab& tab : alternatives) {
    if (tab.title.empty()) refuse("tabs: one of the titles is empty; name each alternative");
    tabs.tabs.push_back({tab.title, tab.markdown});
  }
  if (record::recording()) return show(tabs);
  for (const Tab& tab : alternatives) print_plain(paragraph(tab.title, tab.markdown));
}

}  // namespace lectern
