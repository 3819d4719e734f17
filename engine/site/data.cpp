#include "site/data.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/fnv.h"
#include "base/html.h"
#include "site/number_column.h"
#include "site/script_call.h"
#include "site/zstandard.h"
#include "trace/identity.h"

namespace lectern {
namespace {

using PageJson = nlohmann::json;  // finds members in logarithmic time, unlike the ordered one

template <typename List, typename MakeItem>
PageJson array(const List& list, MakeItem make_item) {
  PageJson items = PageJson::array();
  for (const auto& item : list) items.push_back(make_item(item));
  return items;
}

template <typename List, typename MakeNumber>
std::string column(const List& list, MakeNumber make_number) {
  std::vector<int> numbers;
  numbers.reserve(list.size());
  for (const auto& item : list) numbers.push_back(make_number(item));
  return number_column(numbers);
}

/// Numbers by step.
template <typename MakeNumber>
PageJson step_column(const std::vector<std::pair<int, int>>& list, MakeNumber make_number) {
  return {{"steps", column(list, [](const auto& entry) { return entry.first; })},
          {"numbers", column(list, [&](const auto& entry) { return make_number(entry.second); })}};
}

/// Names, or names with values, by step: an entry for each.
class Bindings {
 public:
  explicit Bindings(Interned& names) : names_(names) {}

  void add(int step, const Binding& binding) {
    steps_.push_back(step);
    numbers_.push_back(names_.intern(with_pictures(binding.first)));
    values_.push_back(binding.second);
  }

  PageJson json() const {
    return {{"steps", number_column(steps_)},
            {"names", number_column(numbers_)},
            {"values", number_column(values_)}};
  }

 private:
  Interned& names_;
  std::vector<int> steps_, numbers_, values_;
};

void add_stacks(PageJson& data, const Trace& trace) {
  PageJson names = PageJson::object();
  for (std::size_t i = 0; i < trace.stacks.size(); ++i) {
    const Stack& stack = trace.stacks[i];
    if (!stack.name.empty() && stack.name != trace.functions[index(stack.function)].name)
      names[std::to_string(i)] = with_pictures(stack.name);
  }
  data["stacks"] = {{"parents", column(trace.stacks, [](const Stack& stack) { return stack.parent; })},
                    {"calls", column(trace.stacks, [](const Stack& stack) { return stack.call; })},
                    {"functions", column(trace.stacks, [](const Stack& stack) { return stack.function; })},
                    {"names", std::move(names)}};
}

void add_tables(PageJson& data, const Trace& trace) {
  data["functions"] = array(trace.functions, [](const TracedFunction& function) {
    return PageJson::array(
        {with_pictures(function.name), function.source, function.span.line, function.span.end_line});
  });
  data["sites"] = PageJson::array();
  const std::vector<std::string> identities = site_identities(trace);
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const Site& site = trace.sites[i];
    data["sites"].push_back({trace.functions[index(site.function)].source, site.span.line, site.span.end_line,
                             site.function, name(site.kind), identities[i]});
    if (site.body > 0) data["sites"].back().push_back(site.body);
  }
  add_stacks(data, trace);
}

void add_columns(PageJson& data, const Trace& trace) {
  data["at"] = column(trace.steps, [](const Step& step) { return step.site; });
  data["in"] = column(trace.steps, [](const Step& step) { return step.stack; });
  data["leftOut"] = array(trace.left_out, [](const LeftOut& left_out) {
    return PageJson::array(
        {left_out.before, left_out.loop, left_out.stack, left_out.passes, left_out.runs, left_out.calls});
  });
  data["enter"] = PageJson::object();
  std::vector<int> after;
  int depth = 0;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const int before = std::exchange(depth, trace.stacks[index(step.stack)].depth);
    // A deeper stack tells by itself what was entered.
    if (step.enter > std::max(0, depth - before)) data["enter"][std::to_string(i)] = step.enter;
    if (step.after) after.push_back(static_cast<int>(i));
  }
  data["after"] = number_column(after);
}

/// Where each fragment of RenderedSteps::html is among those of the page: first the claims, which the list of
/// a line's passes tells of all steps, then the others in the order of the steps that show them.
class Fragments {
 public:
  explicit Fragments(const RenderedSteps& steps) : html_(steps.html), places_(steps.html.all().size(), -1) {
    for (const auto& [step, claims] : steps.claims) place(claims);
    resident_ = order_.size();
    for (std::size_t i = 0; i < places_.size(); ++i) place(static_cast<int>(i));
  }

  int operator()(int number) const { return number < 0 ? number : places_[index(number)]; }

  void add_to(PageJson& data, const FragmentFiles& files) const {
    data["html"] = PageJson::array();
    data["files"] = PageJson::array();
    std::size_t next = 0;
    std::size_t bytes = 0;
    for (; next < order_.size() && (!files.write || next < resident_ || bytes < kFragmentsAtStart); ++next) {
      data["html"].push_back(html_[order_[next]]);
      bytes += html_[order_[next]].size();
    }
    const bool packs = files.packs && bytes_from(next) >= kFragmentsPackedFrom;
    while (next < order_.size()) {
      const std::size_t first = next;
      PageJson fragments = PageJson::array();
      for (bytes = 0; next < order_.size() && bytes < kFragmentsOfFile; ++next) {
        fragments.push_back(html_[order_[next]]);
        bytes += html_[order_[next]].size();
      }
      const std::string script = fragments_script(first, std::move(fragments), packs);
      const std::string name = fmt::format("{}-{:016x}.js", data["files"].size(), fnv1a_64(script));
      data["files"].push_back(PageJson::array({first, name}));
      files.write(name, script);
    }
  }

 private:
  /// Of the fragments from `next` on.
  std::size_t bytes_from(std::size_t next) const {
    return std::accumulate(order_.begin() + static_cast<std::ptrdiff_t>(next), order_.end(), std::size_t{0},
                           [&](std::size_t sum, int number) { return sum + html_[number].size(); });
  }

  static std::string fragments_script(std::size_t first, PageJson html, bool packs) {
    PageJson arrived = {{"first", first}};
    if (packs) {
      const std::string text = html.dump(-1, ' ', false, PageJson::error_handler_t::replace);
      arrived["packed"] = base64(zstandard(text, Effort::least));
    } else {
      arrived["html"] = std::move(html);
    }
    return script_call("lecternFragments", arrived);
  }

  void place(int number) {
    int& at = places_[index(number)];
    if (at >= 0) return;
    at = static_cast<int>(order_.size());
    order_.push_back(number);
  }

  const Interned& html_;
  std::vector<int> places_;
  std::vector<int> order_;
  std::size_t resident_ = 0;
};

void add_changes(PageJson& data, const RenderedSteps& steps, const Fragments& fragment) {
  Interned names;
  const auto table = [&](const std::vector<std::pair<int, std::vector<Binding>>>& list) {
    Bindings bindings(names);
    for (const auto& [step, entries] : list) {
      for (const Binding& binding : entries) bindings.add(step, binding);
    }
    return bindings.json();
  };
  data["args"] = table(steps.args);
  data["vars"] = table(steps.vars);
  data["left"] = table(steps.left);
  Bindings cleared(names);
  for (const auto& [step, entries] : steps.clear) {
    for (const std::string& name : entries) cleared.add(step, {name, -1});
  }
  data["clear"] = cleared.json();
  data["names"] = names.all();
  data["show"] = step_column(steps.show, fragment);
  data["claims"] = step_column(steps.claims, fragment);
  data["out"] = step_column(steps.out, fragment);
  data["ended"] = fragment(steps.ended);
}

void add_values(PageJson& data, const RenderedSteps& steps, const Fragments& fragment) {
  Interned types, texts;
  const auto on_one_line = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return with_pictures(text);
  };
  data["values"] = {
      {"type",
       column(steps.values, [&](const auto& value) { return types.intern(with_pictures(value.type)); })},
      {"text",
       column(steps.values, [&](const auto& value) { return texts.intern(on_one_line(value.text)); })},
      {"html", column(steps.values, [&](const auto& value) { return fragment(value.html); })},
      {"types", types.all()},
      // One string: a script takes its parts when it needs them.
      {"texts", fmt::format("{}", fmt::join(texts.all(), "\n"))}};
}

}  // namespace

nlohmann::json page_json(const Trace& trace, const RenderedSteps& steps, const FragmentFiles& files) {
  PageJson data;
  const Fragments fragment(steps);
  add_tables(data, trace);
  add_columns(data, trace);
  add_changes(data, steps, fragment);
  add_values(data, steps, fragment);
  fragment.add_to(data, files);
  return data;
}

std::string page_data(const Trace& trace, const RenderedSteps& steps, const FragmentFiles& files) {
  return script_call("lectern", page_json(trace, steps, files));
}

}  // namespace lectern
