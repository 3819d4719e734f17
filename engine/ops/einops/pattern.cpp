#include "ops/einops/pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/characters.h"
#include "base/tensor_error.h"
#include "base/utf8.h"

namespace lectern::einops {
namespace {

class Parser {
 public:
  Parser(const Context& context, std::string_view text, Repeats repeats)
      : context_(context), rest_(text), repeats_(repeats) {}

  Expression parse() {
    while (!rest_.empty()) {
      if (rest_.front() == ' ') {
        rest_.remove_prefix(1);
      } else if (rest_.front() == '(') {
        open();
      } else if (rest_.front() == ')') {
        close();
      } else {
        add(axis());
      }
    }
    if (open_) refuse(context_, "a parenthesis is not closed");
    return expression_;
  }

 private:
  void open() {
    if (open_) refuse(context_, "parentheses cannot stand in parentheses");
    open_ = true;
    rest_.remove_prefix(1);
    expression_.groups.push_back({{}, true});
  }

  void close() {
    if (!open_) refuse(context_, "a parenthesis is closed that was not opened");
    open_ = false;
    rest_.remove_prefix(1);
  }

  Axis axis() {
    const std::string word(rest_.substr(0, word_length()));
    rest_.remove_prefix(word.size());
    if (word == "...") return {word};
    if (word.find('.') != std::string::npos)
      refuse(context_, "in `" + word + "` nothing parts `...` from a name");
    return is_digit(word[0]) ? number(word) : named(word);
  }

  /// Of a name, a number, `...`, or a run of these without separator.
  std::size_t word_length() const {
    std::size_t length = 0;
    while (length < rest_.size() && std::string_view(" ()").find(rest_[length]) == std::string_view::npos) {
      const std::string_view rest = rest_.substr(length);
      const std::size_t bytes = std::max<std::size_t>(1, utf8_character(rest));
      if (rest.starts_with("...")) {
        length += 3;
      } else if (is_word(rest.front()) ||
                 (bytes > 1 && is_letter_or_digit(utf8_code_point(rest.substr(0, bytes))))) {
        length += bytes;
      } else {
        refuse(context_, "`" + std::string(rest.substr(0, bytes)) + "` can be no part of it");
      }
    }
    return length;
  }

  Axis named(const std::string& word) const {
    if (word.front() == '_' || word.back() == '_') {
      refuse(context_, "the axis `" + word + "` may not begin or end with an underscore");
    }
    return {word};
  }

  Axis number(const std::string& word) {
    std::int64_t size = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (problem != std::errc() || end != word.data() + word.size() || size < 1) {
      refuse(context_, "`" + word + "` is neither the name of an axis nor a size of 1 or more");
    }
    // Two axes of the same size are distinct.
    return {word + "@" + std::to_string(rest_.size()), size};
  }

  void add(const Axis& axis) {
    const bool may_repeat = axis.is_number() || (repeats_ == Repeats::allowed && !axis.is_ellipsis());
    if (!may_repeat && expression_.has(axis.name)) {
      refuse(context_, axis.is_ellipsis() ? "`...` can come once on a side"
                                          : "the axis `" + axis.name + "` comes twice on one side");
    }
    if (!open_) expression_.groups.emplace_back();
    if (axis.size != 1) expression_.groups.back().axes.push_back(axis);
  }

  Context context_;
  std::string_view rest_;
  Repeats repeats_;
  Expression expression_;
  bool open_ = false;
};

}  // namespace

void refuse(const Context& context, const std::string& problem) {
  const std::string shape = context.shape == nullptr ? "" : ", the shape " + to_string(*context.shape);
  throw TensorError(context.operation,
                    problem + "; the pattern is `" + std::string(context.pattern) + "`" + shape);
}

bool Group::has_ellipsis() const {
  return std::ranges::any_of(axes, &Axis::is_ellipsis);
}

std::vector<Axis> Expression::axes() const {
  std::vector<Axis> all;
  for (const Group& group : groups) all.insert(all.end(), group.axes.begin(), group.axes.end());
  return all;
}

bool Expression::has_number() const {
  return std::ranges::any_of(axes(), &Axis::is_number);
}

bool Expression::has(std::string_view name) const {
  return std::ranges::any_of(axes(), [&](const Axis& axis) { return axis.name == name; });
}

Expression parse_expression(const Context& context, std::string_view text, Repeats repeats) {
  return Parser(context, text, repeats).parse();
}

Pattern parse_pattern(const Context& context) {
  constexpr std::string_view kArrow = "->";
  const std::size_t arrow = context.pattern.find(kArrow);
  if (arrow == std::string_view::npos) refuse(context, "there is no `->` between two sides");
  const std::string_view right = context.pattern.substr(arrow + kArrow.size());
  if (right.find(kArrow) != std::string_view::npos) refuse(context, "there is more than one `->`");
  return {parse_expression(context, context.pattern.substr(0, arrow)), parse_expression(context, right)};
}

}  // namespace lectern::einops
