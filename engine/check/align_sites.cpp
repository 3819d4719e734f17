#include "check/align_sites.h"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "check/align.h"
#include "trace/identity.h"

namespace lectern {
namespace {

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// What the alignment needs of one of the traces.
struct Side {
  explicit Side(const Trace& of) : trace(of), sites(of.functions.size()) {
    for (const std::string& hash : site_hashes(of)) keys.push_back(std::hash<std::string>{}(hash));
    for (std::size_t site = 0; site < of.sites.size(); ++site)
      sites[at(of.sites[site].function)].push_back(static_cast<int>(site));
  }
  Keys keys_of(int function) const {
    Keys list;
    for (const int site : sites[at(function)]) list.push_back(keys[at(site)]);
    return list;
  }

  const Trace& trace;
  Keys keys;                            ///< of the tokens of each site
  std::vector<std::vector<int>> sites;  ///< of each function, in the order of the source
};

std::vector<int> align_functions(const Side& old_side, const Side& new_side) {
  std::unordered_map<std::string, std::vector<int>> named;
  for (std::size_t i = new_side.trace.functions.size(); i-- > 0;)
    named[new_side.trace.functions[i].name].push_back(static_cast<int>(i));
  std::vector<int> result(old_side.trace.functions.size(), -1);
  std::vector<bool> taken(new_side.trace.functions.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto found = named.find(old_side.trace.functions[i].name);
    if (found == named.end() || found->second.empty()) continue;
    result[i] = found->second.back();
    taken[at(result[i])] = true;
    found->second.pop_back();
  }

  // A function that was renamed has its old statements.
  std::map<Keys, std::vector<int>> alike;
  for (std::size_t i = taken.size(); i-- > 0;) {
    const Keys keys = taken[i] ? Keys() : new_side.keys_of(static_cast<int>(i));
    if (!keys.empty()) alike[keys].push_back(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] >= 0) continue;
    const auto found = alike.find(old_side.keys_of(static_cast<int>(i)));
    if (found == alike.end() || found->second.empty()) continue;
    result[i] = found->second.back();
    found->second.pop_back();
  }
  return result;
}

void pair(SiteAlignment& alignment, int old_site, int new_site, bool changed) {
  alignment.new_site[at(old_site)] = new_site;
  alignment.old_site[at(new_site)] = old_site;
  alignment.changed[at(new_site)] = changed;
}

void align_statements(const Side& old_side, int old_function, const Side& new_side, int new_function,
                      SiteAlignment& alignment) {
  const std::vector<int>& old_sites = old_side.sites[at(old_function)];
  const std::vector<int>& new_sites = new_side.sites[at(new_function)];
  Matches matches = align(old_side.keys_of(old_function), new_side.keys_of(new_function));
  matches.emplace_back(static_cast<int>(old_sites.size()), static_cast<int>(new_sites.size()));
  int old_at = 0, new_at = 0;
  for (const auto& [old_match, new_match] : matches) {
    // As many changed as added ones would be a guess: a gap counts as changed when both sides have as many.
    const bool same_number = old_match - old_at == new_match - new_at;
    for (; same_number && old_at < old_match; ++old_at, ++new_at) {
      const int old_site = old_sites[at(old_at)], new_site = new_sites[at(new_at)];
      if (old_side.trace.sites[at(old_site)].kind == new_side.trace.sites[at(new_site)].kind)
        pair(alignment, old_site, new_site, true);
    }
    if (at(old_match) < old_sites.size())
      pair(alignment, old_sites[at(old_match)], new_sites[at(new_match)], false);
    old_at = old_match + 1;
    new_at = new_match + 1;
  }
}

}  // namespace

SiteAlignment align_sites(const Trace& old_trace, const Trace& new_trace) {
  const Side old_side(old_trace), new_side(new_trace);
  SiteAlignment alignment;
  alignment.new_function = align_functions(old_side, new_side);
  alignment.new_site.assign(old_trace.sites.size(), -1);
  alignment.old_site.assign(new_trace.sites.size(), -1);
  alignment.changed.assign(new_trace.sites.size(), false);
  for (std::size_t i = 0; i < alignment.new_function.size(); ++i) {
    if (alignment.new_function[i] < 0) continue;
    align_statements(old_side, static_cast<int>(i), new_side, alignment.new_function[i], alignment);
  }
  return alignment;
}

}  // namespace lectern
