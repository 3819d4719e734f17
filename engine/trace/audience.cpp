#include "trace/audience.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/characters.h"
#include "trace/literal.h"
#include "trace/tokens.h"

namespace lectern {
namespace {

/// Whether an answer of this day may be seen on the audience's day.
bool is_out(std::string_view answer_from, const Audience& audience) {
  return !answer_from.empty() && answer_from <= audience.date;
}

class SourceCensor {
 public:
  SourceCensor(const SourceFile& file, const std::vector<std::string>& secrets, const Audience& audience)
      : secrets_(secrets), audience_(audience) {
    for (const std::string& line : file.lines) source_.append(line).append("\n");
    censored_ = source_;
    tokens_ = tokens_and_comments(source_, file.language);
  }

  SourceLines run() && {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::string && tells_secret(unquoted(tokens_[i].text))) blank(i, i + 1);
      if (tokens_[i].kind == TokenKind::comment && quotes_secret(tokens_[i].text)) blank(i, i + 1);
      if (tokens_[i].kind != TokenKind::name || !is(i + 1, "(") || is(i - 1, ".") || is(i - 1, "->"))
        continue;
      if (tokens_[i].text == "note") leave_out_call(i);
      if (tokens_[i].text == "exercise") leave_out_answer(i);
    }
    SourceLines lines;
    for (std::size_t begin = 0; begin < censored_.size();) {
      const std::size_t end = censored_.find('\n', begin);
      lines.push_back(censored_.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

 private:
  bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }

  /// The token that closes the bracket at `open`; the end when none does.
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) ++depth;
      if ((is(i, ")") || is(i, "}") || is(i, "]")) && --depth == 0) return i;
    }
    return tokens_.size();
  }

  void blank(std::size_t first, std::size_t last) {
    if (first >= last) return;
    const std::string_view begin = tokens_[first].text, end = tokens_[last - 1].text;
    for (std::size_t at = offset_in(source_, begin); at < offset_in(source_, end) + end.size(); ++at) {
      if (censored_[at] != '\n') censored_[at] = ' ';
    }
  }

  /// A call of note, with the semicolon or comma that belongs to it.
  void leave_out_call(std::size_t name) {
    std::size_t first = name, last = std::min(closing(name + 1) + 1, tokens_.size());
    while (first > 0 && is(first - 1, "::"))
      first -= first > 1 && tokens_[first - 2].kind == TokenKind::name ? 2 : 1;
    if (first > 0 && tokens_[first - 1].kind == TokenKind::name && !is(first - 1, "else") &&
        !is(first - 1, "do"))
      return;  // a declaration
    if (first > 0 && is(first - 1, ",")) {
      --first;
    } else if (is(last, ";") || is(last, ",")) {
      ++last;
    }
    blank(first, last);
  }

  void leave_out_answer(std::size_t name) {
    const std::size_t close = closing(name + 1);
    for (std::size_t i = name + 2; i < close; ++i) {
      if (is(i, "(") || is(i, "{") || is(i, "[")) {
        i = closing(i);
      } else if (is(i, ",")) {
        if (!names_starter(i + 1, close) && !is_out(find_day(i, close), audience_)) blank(i, close);
        return;
      }
    }
  }

  /// Whether the argument is no more than `{.starter = "…"}`.
  bool names_starter(std::size_t first, std::size_t last) const {
    return first + 6 == last && is(first, "{") && is(first + 1, ".") && is(first + 2, "starter") &&
           tokens_[first + 4].kind == TokenKind::string;
  }

  /// The literal after `.answer_from =`.
  std::string find_day(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i + 2 < last; ++i) {
      if (is(i, "answer_from") && is(i + 1, "=")) return unquoted(tokens_[i + 2].text);
    }
    return {};
  }

  /// A secret, or lines of one. A short text is one only when it is the whole.
  bool tells_secret(const std::string& text) const {
    constexpr std::size_t kShort = 8;
    const std::string_view whole = trim(text);
    if (whole.empty()) return false;
    return std::ranges::any_of(secrets_, [&](const std::string& secret) {
      if (whole.size() < kShort) return whole == trim(secret);
      for (std::size_t begin = 0; begin <= whole.size();) {
        const std::size_t end = std::min(whole.find('\n', begin), whole.size());
        if (secret.find(trim(whole.substr(begin, end - begin))) == std::string::npos) return false;
        begin = end + 1;
      }
      return true;
    });
  }
  bool quotes_secret(std::string_view comment) const {
    return std::ranges::any_of(secrets_, [&](const std::string& secret) {
      return !trim(secret).empty() && comment.find(trim(secret)) != std::string_view::npos;
    });
  }

  const std::vector<std::string>& secrets_;
  const Audience& audience_;
  std::string source_, censored_;
  std::vector<Token> tokens_;
};

/// Leaves out what this audience may not see; returns it.
std::vector<std::string> leave_out(std::vector<Rendering>& show, const Audience& audience) {
  std::vector<std::string> secrets;
  std::erase_if(show, [&](Rendering& shown) {
    if (const auto* const note = shown.as<rendering::Note>()) {
      secrets.push_back(note->markdown);
      return true;
    }
    if (auto* const exercise = std::get_if<rendering::Exercise>(&shown.form)) {
      if (!exercise->answer.empty() && !is_out(exercise->answer_from, audience))
        secrets.push_back(std::exchange(exercise->answer, {}));
    }
    return false;
  });
  return secrets;
}

}  // namespace

Trace for_audience(Trace trace, const Audience& audience) {
  if (!audience.students) return trace;
  std::vector<std::string> secrets;
  std::vector<bool> shows(trace.sites.size()), left_out(trace.sites.size());
  for (Step& step : trace.steps) {
    if (step.text.find("\"show\":") == std::string::npos) continue;
    StepDetails details = step.details();
    const std::vector<std::string> found = leave_out(details.show, audience);
    if (!details.show.empty()) shows[index(step.site)] = true;
    if (found.empty()) continue;
    secrets.insert(secrets.end(), found.begin(), found.end());
    left_out[index(step.site)] = true;
    step.set_details(details);
  }
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    if (trace.sites[i].kind == SiteKind::hook && left_out[i] && !shows[i]) trace.sites[i].hide = true;
  }
  for (SourceFile& source : trace.sources) source.lines = SourceCensor(source, secrets, audience).run();
  return trace;
}

}  // namespace lectern
