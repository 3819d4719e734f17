#include "site/data.h"

#include <nlohmann/json.hpp>

#include "base/html.h"
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
  }
  data["stacks"] = array(trace.stacks, [&](const Stack& stack) {
    const std::string& name = stack.name.empty() ? trace.functions[index(stack.function)].name : stack.name;
    return PageJson::array({stack.parent, stack.call, stack.function, with_pictures(name)});
  });
}

void add_columns(PageJson& data, const Trace& trace) {
  data["at"] = array(trace.steps, [](const Step& step) { return step.site; });
  data["in"] = array(trace.steps, [](const Step& step) { return step.stack; });
  data["enter"] = PageJson::object();
  data["after"] = PageJson::array();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.steps[i].enter != 0) data["enter"][std::to_string(i)] = trace.steps[i].enter;
    if (trace.steps[i].after) data["after"].push_back(i);
  }
}

void add_changes(PageJson& data, const RenderedSteps& steps) {
  data["vars"] = by_step(steps.vars, [](const std::vector<Binding>& bindings) {
    return array(bindings, [](const Binding& binding) {
      return PageJson::array({with_pictures(binding.first), binding.second});
    });
  });
  data["clear"] =
      by_step(steps.clear, [](const std::vector<std::string>& names) { return array(names, with_pictures); });
  data["show"] = by_step(steps.show, std::identity());
  data["claims"] = by_step(steps.claims, std::identity());
  data["out"] = by_step(steps.out, std::identity());
  data["ended"] = steps.ended;
}

}  // namespace

std::string page_data(const Trace& trace, const RenderedSteps& steps) {
  PageJson data;
  add_tables(data, trace);
  add_columns(data, trace);
  add_changes(data, steps);
  data["values"] = array(steps.values, [](const NumberedValue& value) {
    return PageJson::array({with_pictures(value.type), with_pictures(value.text), value.html});
  });
  data["html"] = steps.html.all();
  std::string out = "lectern(";
  // Without "<", which stands in strings only, nothing in a script can end it or begin a comment of HTML.
  for (const char c : data.dump(-1, ' ', false, PageJson::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003C";
    } else {
      out += c;
    }
  }
  return out + ");\n";
}

}  // namespace lectern
