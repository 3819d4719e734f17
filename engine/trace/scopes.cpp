#include "trace/scopes.h"

#include <algorithm>
#include <tuple>

#include "trace/activations.h"

namespace lectern {

Scopes::Scopes(const Trace& trace) : trace_(trace) {
  add_ranges();
  if (ranges_.empty()) return;
  activations_.resize(trace.steps.size());
  const std::vector<Activation> all = activations(trace);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const int step : all[i].steps) activations_[index(step)] = static_cast<int>(i);
  }
}

void Scopes::add_ranges() {
  const auto last_site = static_cast<int>(trace_.sites.size()) - 1;
  for (int site = 0; site <= last_site; ++site) {
    for (const auto& [name, more] : trace_.sites[index(site)].locals)
      ranges_[name].push_back({site, site + std::clamp(more, 0, last_site - site), -1});
  }
  for (auto& [name, ranges] : ranges_) {
    std::vector<int> open;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      while (!open.empty() && ranges[index(open.back())].last < ranges[i].first) open.pop_back();
      ranges[i].outer = open.empty() ? -1 : open.back();
      open.push_back(static_cast<int>(i));
    }
  }
}

/// A variable as the statement sees it: the innermost one of that name.
Scopes::Shown Scopes::shown(const std::string& name, int site, int step) const {
  const auto found = ranges_.find(name);
  if (found == ranges_.end()) return {name, kWhole, kWhole, step};
  const std::vector<Range>& ranges = found->second;
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), site,
                                      [](int at, const Range& range) { return at < range.first; });
  int at = static_cast<int>(after - ranges.begin()) - 1;
  const int function = trace_.sites[index(site)].function;
  while (at >= 0 &&
         (ranges[index(at)].last < site || trace_.sites[index(ranges[index(at)].first)].function != function))
    at = ranges[index(at)].outer;
  if (at < 0) return {name, kWhole, kWhole, step};
  return {name, ranges[index(at)].first, ranges[index(at)].last, step};
}

void Scopes::record(std::vector<Shown>& variables, const Members<Value>& values, int site, int step) const {
  for (const auto& [name, value] : values) {
    Shown now = shown(name, site, step);
    const auto known = std::find_if(variables.begin(), variables.end(), [&](const Shown& each) {
      return each.name == now.name && each.first == now.first;
    });
    if (known == variables.end()) {
      variables.push_back(std::move(now));
    } else {
      known->step = step;
    }
  }
}

std::vector<LeftVariable> Scopes::next(const StepDetails& details) {
  const int step = step_++;
  if (ranges_.empty()) return {};
  const int site = trace_.steps[index(step)].site;
  std::vector<Shown>& variables = variables_[activations_[index(step)]];
  std::vector<std::string> gone;
  std::erase_if(variables, [&](const Shown& each) {
    const bool leaves = each.first != kWhole && (site < each.first || each.last < site);
    if (leaves) gone.push_back(each.name);
    return leaves;
  });
  record(variables, details.args, site, step);
  record(variables, details.vars, site, step);
  for (const std::string& name : details.clear)
    std::erase_if(variables, [&](const Shown& each) { return each.name == name; });
  std::vector<LeftVariable> left;
  for (std::string& name : gone) {
    if (details.vars.find(name) != nullptr) continue;
    const auto visible = std::find_if(variables.rbegin(), variables.rend(),
                                      [&](const Shown& each) { return each.name == name; });
    left.push_back({std::move(name), visible == variables.rend() ? -1 : visible->step});
  }
  return left;
}

std::map<int, std::vector<LeftVariable>> left_variables(const Trace& trace) {
  std::map<int, std::vector<LeftVariable>> result;
  Scopes scopes(trace);
  const bool any = std::any_of(trace.sites.begin(), trace.sites.end(),
                               [](const Site& site) { return !site.locals.empty(); });
  if (!any) return result;  // no step need be decoded
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const std::string& text = trace.steps[i].text;
    std::vector<LeftVariable> left = scopes.next(text.empty() ? StepDetails() : trace.steps[i].details());
    if (!left.empty()) result.emplace(static_cast<int>(i), std::move(left));
  }
  return result;
}

}  // namespace lectern
