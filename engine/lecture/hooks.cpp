#include "lecture/hooks.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/date.h"
#include "lecture/checks.h"
#include "lecture/media.h"
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

/// The words of a rendering, a line for each part of it.
template <HasFields T>
std::string plain_text(const T& part) {
  std::string line, below;
  for_each_field<T>([&](const auto& field) {
    const auto& member = part.*field.member;
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, std::string>) {
      if (!member.empty() && field.name != "lang") line.append(line.empty() ? "" : ": ").append(member);
    } else if constexpr (requires { requires HasFields<typename Member::value_type>; }) {
      for (const auto& inner : member) below.append(below.empty() ? "" : "\n").append(plain_text(inner));
    }
  });
  return line.empty() || below.empty() ? line + below : line + "\n" + below;
}

std::string paragraph(std::string_view title, std::string_view text) {
  std::string result(title);
  if (!title.empty() && !text.empty()) result += ": ";
  return result.append(text);
}

std::string callout_name(Callout type) {
  const auto index = static_cast<std::size_t>(type);
  if (index >= rendering::Callout::kTypes.size())
    refuse("callout: there is no such type; use one of Callout's");
  return std::string(rendering::Callout::kTypes[index]);
}

}  // namespace

void show(RenderingPointer rendering) {
  const auto show_kind = []<typename Kind>(const Kind* shown) {
    if constexpr (requires { shown->problem(); }) {
      if (const std::string_view problem = shown->problem(); !problem.empty())
        refuse(std::string(Kind::kHook).append(": ").append(problem));
    }
    record::recording() ? add_rendering(*shown) : print_plain(plain_text(*shown));
  };
  std::visit(show_kind, rendering);
}

void text(std::string_view markdown, const TextStyle& style) {
  check_language("text", style.language);
  const rendering::Text shown{dedented(markdown), style.language};
  show(&shown);
}

void check_translations(std::initializer_list<Translation> translations) {
  std::set<std::string_view> languages;
  for (const Translation& translation : translations) {
    if (translation.language.empty())
      refuse("text: one of the translations has no language; write it like {\"de\", \"…\"}");
    check_language("text", translation.language);
    if (!languages.insert(translation.language).second)
      refuse("text: two translations are in \"" + std::string(translation.language) +
             "\"; give each a language of its own");
  }
  if (languages.empty()) refuse("text: there is no translation; write one like {\"de\", \"…\"}");
}

void text(std::initializer_list<Translation> translations) {
  check_translations(translations);
  for (const Translation& each : translations) text(each.markdown, TextStyle{std::string(each.language)});
}

void verbatim(std::string_view text, const TextStyle& style) {
  check_language("verbatim", style.language);
  const rendering::Verbatim shown{std::string(text), {}, style.language};
  show(&shown);
}

void card(std::string_view title, std::string_view markdown, std::string_view url, const TextStyle& style) {
  if (title.empty() && markdown.empty()) refuse("card: it has neither title nor text; give it one");
  if (!url.empty()) check_url("card", url);
  check_language("card", style.language);
  const std::string text = dedented(markdown);
  if (!record::recording()) return print_plain(paragraph(title, text));
  add_rendering(rendering::Card{std::string(title), text, std::string(url), style.language});
}

void callout(Callout type, std::string_view markdown, std::string_view title, const TextStyle& style) {
  check_language("callout", style.language);
  const std::string name = callout_name(type), text = dedented(markdown);
  if (!record::recording())
    return print_plain(paragraph(title.empty() ? std::string_view(name) : title, text));
  add_rendering(rendering::Callout{name, std::string(title), text, style.language});
}

void exercise(std::string_view markdown, std::string_view answer) {
  exercise(markdown, {.answer = std::string(answer)});
}

void exercise(std::string_view markdown, const Solution& solution) {
  const std::string& from = solution.answer_from;
  if (!from.empty() && !is_day(from))
    refuse("exercise: \"" + from + "\" is not a date; write it as YYYY-MM-DD");
  check_language("exercise", solution.language);
  const std::string text = dedented(markdown);
  if (!record::recording()) return print_plain(paragraph("Exercise", text));
  const std::string starter = solution.starter.empty() ? "" : add_starter("exercise", solution.starter);
  add_rendering(rendering::Exercise{text, dedented(solution.answer), from, starter, solution.language});
}

void tabs(const std::vector<Tab>& alternatives, const TextStyle& style) {
  check_language("tabs", style.language);
  rendering::Tabs shown{alternatives, style.language};
  for (Tab& tab : shown.tabs) tab.markdown = dedented(tab.markdown);
  show(&shown);
}

void note(std::string_view markdown, const TextStyle& style) {
  check_language("note", style.language);
  if (!record::recording()) return;  // for the speaker only
  add_rendering(rendering::Note{dedented(markdown), style.language});
}

}  // namespace lectern
