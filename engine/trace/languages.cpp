#include "trace/languages.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace lectern {

std::string_view language_of(const Rendering& rendering) {
  return std::visit(
      []<typename Form>(const Form& form) -> std::string_view {
        constexpr bool kIsBlock = !std::is_same_v<Form, rendering::Front>;  // that is the lecture's
        if constexpr (kIsBlock && requires { form.lang; }) return form.lang;
        return {};
      },
      rendering.form);
}

std::size_t alternatives_end(const std::vector<Rendering>& show, std::size_t begin) {
  std::size_t end = begin;
  bool several = false;
  for (; end < show.size() && !language_of(show[end]).empty(); ++end)
    several = several || language_of(show[end]) != language_of(show[begin]);
  return several ? end : begin;
}

Trace in_language(Trace trace, std::string_view language) {
  for (Step& step : trace.steps) {
    if (step.text.find("\"lang\":") == std::string::npos) continue;
    StepDetails details = step.details();
    std::vector<Rendering>& show = details.show;
    const auto is_chosen = [&](const Rendering& rendering) { return language_of(rendering) == language; };
    std::vector<Rendering> kept;
    for (std::size_t i = 0; i < show.size();) {
      const std::size_t end = std::max(alternatives_end(show, i), i + 1);
      const auto first = show.begin() + static_cast<std::ptrdiff_t>(i);
      const auto last = show.begin() + static_cast<std::ptrdiff_t>(end);
      const bool all = end == i + 1 || std::none_of(first, last, is_chosen);
      std::copy_if(std::make_move_iterator(first), std::make_move_iterator(last), std::back_inserter(kept),
                   [&](const Rendering& rendering) { return all || is_chosen(rendering); });
      i = end;
    }
    if (kept.size() == show.size()) continue;
    show = std::move(kept);
    step.set_details(details);
  }
  return trace;
}

}  // namespace lectern
