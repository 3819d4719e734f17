#include "site/data.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "base/html.h"
#include "site/script_call.h"
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

/// An object whose keys are the numbers of steps.
template <typename T, typename MakeMember>
PageJson by_step(const std::vector<std::pair<int, T>>& list, MakeMember make_member) {
  PageJson members = PageJson::object();
  for (const auto& [step, content] : list) members[std::to_string(step)] = make_member(content);
  return members;
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
  data["stacks"] = array(trace.stacks, [&](const Stack& stack) {
    PageJson frame = PageJson::array({stack.parent, stack.call, stack.function});
    if (!stack.name.empty() && stack.name != trace.functions[index(stack.function)].name)
      frame.push_back(with_pictures(stack.name));
    return frame;
  });
}

void add_columns(PageJson& data, const Trace& trace) {
  data["at"] = array(trace.steps, [](const Step& step) { return step.site; });
  data["in"] = array(trace.steps, [](const Step& step) { return step.stack; });
  data["leftOut"] = array(trace.left_out, [](const LeftOut& left_out) {
    return PageJson::array(
        {left_out.before, left_out.loop, left_out.stack, left_out.passes, left_out.runs, left_out.calls});
  });
  data["enter"] = PageJson::object();
  data["after"] = PageJson::array();
  int depth = 0;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const int before = std::exchange(depth, trace.stacks[index(step.stack)].depth);
    // A deeper stack tells by itself what was entered.
    if (step.enter > std::max(0, depth - before)) data["enter"][std::to_string(i)] = step.enter;
    if (step.after) data["after"].push_back(i);
  }
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

  void add_to(PageJson& data, const WriteFragments& write) const {
    data["html"] = PageJson::array();
    data["files"] = PageJson::array();
    std::size_t next = 0;
    std::size_t bytes = 0;
    for (; next < order_.size() && (!write || next < resident_ || bytes < kFragmentsAtStart); ++next) {
      data["html"].push_back(html_[order_[next]]);
      bytes += html_[order_[next]].size();
    }
    while (next < order_.size()) {
      const std::size_t first = next;
      PageJson fragments = PageJson::array();
      for (bytes = 0; next < order_.size() && bytes < kFragmentsOfFile; ++next) {
        fragments.push_back(html_[order_[next]]);
        bytes += html_[order_[next]].size();
      }
      const std::string script =
          script_call("lecternFragments", PageJson{{"first", first}, {"html", std::move(fragments)}});
      const std::string name = fmt::format("{}-{:016x}.js", data["files"].size(), fnv1a_64(script));
      data["files"].push_back(PageJson::array({first, name}));
      write(name, script);
    }
  }

 private:
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
  const auto named = [](const std::vector<Binding>& bindings) {
    return array(bindings, [](const Binding& binding) {
      return PageJson::array({with_pictures(binding.first), binding.second});
    });
  };
  data["args"] = by_step(steps.args, named);
  data["vars"] = by_step(steps.vars, named);
  data["left"] = by_step(steps.left, named);
  data["clear"] =
      by_step(steps.clear, [](const std::vector<std::string>& names) { return array(names, with_pictures); });
  data["show"] = by_step(steps.show, fragment);
  data["claims"] = by_step(steps.claims, fragment);
  data["out"] = by_step(steps.out, fragment);
  data["ended"] = fragment(steps.ended);
}

}  // namespace

std::string page_data(const Trace& trace, const RenderedSteps& steps, const WriteFragments& write) {
  PageJson data;
  const Fragments fragment(steps);
  add_tables(data, trace);
  add_columns(data, trace);
  add_changes(data, steps, fragment);
  data["values"] = array(steps.values, [&](const NumberedValue& value) {
    return PageJson::array({with_pictures(value.type), with_pictures(value.text), fragment(value.html)});
  });
  fragment.add_to(data, write);
  return script_call("lectern", data);
}

}  // namespace lectern
