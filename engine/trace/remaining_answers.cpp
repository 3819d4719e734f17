#include "trace/remaining_answers.h"

#include <algorithm>
#include <string_view>

#include "base/json_text.h"
#include "trace/literal.h"
#include "trace/tokens.h"

namespace lectern {
namespace {

constexpr std::size_t kShort = 8;

struct Answer {
  int site;
  std::string text;
};

/// The answers that the first trace has and the second, with the same steps, has not.
std::vector<Answer> answers_left_out(const Trace& trace, const Trace& shown) {
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.steps[i].text == shown.steps[i].text) continue;
    for (const Rendering& rendering : trace.steps[i].details().show) {
      const auto* const exercise = rendering.as<rendering::Exercise>();
      if (exercise != nullptr && exercise->answer.size() >= kShort)
        answers.push_back({trace.steps[i].site, exercise->answer});
    }
  }
  return answers;
}

/// The characters of ASCII that are seen: escapes, blanks and indentation aside, those of an answer and of
/// the literal that it is are the same.
std::string visible_characters(std::string_view text) {
  std::string visible;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digits = text[i] != '\\' || i + 1 == text.size() ? 0
                               : text[i + 1] == 'u'                    ? 4
                               : text[i + 1] == 'U'                    ? 8
                               : text[i + 1] == 'x'                    ? 2
                                                                       : 0;
    if (digits > 0) {
      i += digits + 1;
    } else if (text[i] > ' ' && text[i] <= '~') {
      visible += text[i];
    }
  }
  return visible;
}

/// The literals of the sources, those side by side as one.
std::vector<std::string> literals(const Trace& trace) {
  std::vector<std::string> found;
  for (const SourceFile& source : trace.sources) {
    std::string text;
    for (const std::string& line : source.lines) text.append(line).append("\n");
    bool continues = false;
    for (const Token& token : tokens_and_comments(text, source.language)) {
      const bool string = token.kind == TokenKind::string;
      if (string && !continues) found.emplace_back();
      if (string) found.back() += visible_characters(unquoted(token.text));
      continues = string;
    }
  }
  return found;
}

/// A text as it stands in JSON, without its quotes.
std::string in_json(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json.substr(1, json.size() - 2);
}

}  // namespace

std::vector<RemainingAnswer> remaining_answers(const Trace& trace, const Audience& audience) {
  if (!audience.students) return {};
  const Trace shown = for_audience(trace, audience);
  const std::vector<Answer> answers = answers_left_out(trace, shown);
  if (answers.empty()) return {};
  std::vector<RemainingAnswer> remaining;
  const std::vector<std::string> written = literals(trace);
  for (const Answer& answer : answers) {
    if (std::ranges::count(written, visible_characters(answer.text)) == 0) {
      remaining.push_back({answer.site,
                           "exercise: its answer is no literal, so that pieces of it may stay in the source "
                           "that students see; write it as one literal"});
    }
    const std::string text = in_json(answer.text);
    for (const Step& step : shown.steps) {
      if (step.text.find(text) == std::string::npos) continue;
      remaining.push_back(
          {step.site,
           "students see an exercise's answer in what this shows or inspects; write it in the "
           "exercise only"});
    }
  }
  return remaining;
}

}  // namespace lectern
