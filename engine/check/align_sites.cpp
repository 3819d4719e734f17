#include "check/align_sites.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "trace/align.h"
#include "trace/identity.h"

namespace lectern {
namespace {

using Tokens = std::vector<std::string>;

/// The share of tokens that two sorted lists have in common (Dice coefficient).
double likeness(const Tokens& a, const Tokens& b) {
  Tokens common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return a.empty() && b.empty()
             ? 1
             : 2.0 * static_cast<double>(common.size()) / static_cast<double>(a.size() + b.size());
}

constexpr double kEnough = 0.5;      ///< of a statement
constexpr double kAlmostAll = 0.75;  ///< of a function
constexpr std::size_t kMostRenamed = 100;

/// What the alignment needs to know of one of the traces.
struct TraceSites {
  explicit TraceSites(const Trace& run) : trace(run), sites(run.functions.size()) {
    for (const std::string& hash : site_hashes(run)) keys.push_back(std::hash<std::string>{}(hash));
    for (std::size_t site = 0; site < run.sites.size(); ++site)
      sites[index(run.sites[site].function)].push_back(static_cast<int>(site));
    // A trace of edtrace's has them in the order in which they first ran.
    for (std::vector<int>& of_function : sites) {
      std::ranges::stable_sort(of_function, {}, [&](int site) {
        const auto& span = run.sites[index(site)].span;
        return std::pair(span.line, span.column);
      });
    }
  }
  Keys function_keys(int function) const {
    Keys list;
    for (const int site : sites[index(function)]) list.push_back(keys[index(site)]);
    return list;
  }

  /// Of all these sites together, sorted.
  Tokens tokens(std::span<const int> some_sites) const {
    Tokens tokens;
    for (const int site : some_sites) {
      const Tokens more = site_tokens(trace, trace.sites[index(site)]);
      tokens.insert(tokens.end(), more.begin(), more.end());
    }
    std::sort(tokens.begin(), tokens.end());
    return tokens;
  }

  const Trace& trace;
  Keys keys;                            ///< of the tokens of each site
  std::vector<std::vector<int>> sites;  ///< of each function, in the order of the source
};

/// A renamed function keeps most of its statements; one that calls itself has its new name in some.
void align_renamed(const TraceSites& old_side, const TraceSites& new_side, std::vector<int>& result,
                   std::vector<bool>& taken) {
  std::vector<std::pair<std::size_t, Tokens>> left;
  for (std::size_t j = 0; j < taken.size(); ++j) {
    if (!taken[j] && !new_side.sites[j].empty()) left.emplace_back(j, new_side.tokens(new_side.sites[j]));
  }
  if (left.size() > kMostRenamed) return;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] >= 0 || old_side.sites[i].empty()) continue;
    const Tokens tokens = old_side.tokens(old_side.sites[i]);
    double best = 0;
    for (const auto& [j, others] : left) {
      const double common = taken[j] ? 0 : likeness(tokens, others);
      if (common < kAlmostAll || common <= best) continue;
      best = common;
      result[i] = static_cast<int>(j);
    }
    if (result[i] >= 0) taken[index(result[i])] = true;
  }
}

/// Functions of one name, overloads or lambdas, in the order of the source.
struct Namesakes {
  std::vector<int> old_ones, new_ones;
};

/// Which of them is which: those whose statements are the same, in order; then the one with most in common.
class NamesakePairs {
 public:
  NamesakePairs(const TraceSites& old_side, const TraceSites& new_side, std::vector<int>& result)
      : old_side_(old_side), new_side_(new_side), result_(result) {}

  void find(const Namesakes& namesakes) {
    std::vector<int> old_ones = namesakes.old_ones, new_ones = namesakes.new_ones;  // those that are left
    if (old_ones.size() == 1 && new_ones.size() == 1) return pair(old_ones[0], new_ones[0]);
    for (const auto& [old_at, new_at] : align(keys(old_side_, old_ones), keys(new_side_, new_ones)))
      pair(old_ones[index(old_at)], new_ones[index(new_at)]);
    std::erase_if(old_ones, [&](int function) { return result_[index(function)] >= 0; });
    std::erase_if(new_ones, [&](int function) { return paired_.contains(function); });
    for (std::size_t i = 0; i < old_ones.size() && !new_ones.empty(); ++i) {
      const auto best = most_alike(old_ones[i], new_ones);
      pair(old_ones[i], *best);
      new_ones.erase(best);
    }
  }

 private:
  static Keys keys(const TraceSites& side, const std::vector<int>& functions) {
    Keys keys;
    for (const int function : functions) {
      std::uint64_t key = 0;
      for (const std::uint64_t statement : side.function_keys(function)) key = key * 31 + statement;
      keys.push_back(key);
    }
    return keys;
  }
  /// The first of those with most in common; where there are too many to look at, the first of all.
  std::vector<int>::const_iterator most_alike(int old_one, const std::vector<int>& new_ones) const {
    if (new_ones.size() > kMostRenamed) return new_ones.begin();
    const Tokens tokens = old_side_.tokens(old_side_.sites[index(old_one)]);
    return std::ranges::max_element(new_ones, {}, [&](int new_one) {
      return likeness(tokens, new_side_.tokens(new_side_.sites[index(new_one)]));
    });
  }
  void pair(int old_one, int new_one) {
    result_[index(old_one)] = new_one;
    paired_.insert(new_one);
  }

  const TraceSites &old_side_, &new_side_;
  std::vector<int>& result_;
  std::unordered_set<int> paired_;
};

std::vector<int> align_functions(const TraceSites& old_side, const TraceSites& new_side) {
  std::unordered_map<std::string, Namesakes> named;
  const auto& old_functions = old_side.trace.functions;
  const auto& new_functions = new_side.trace.functions;
  for (std::size_t i = 0; i < old_functions.size(); ++i)
    named[old_functions[i].name].old_ones.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < new_functions.size(); ++i)
    named[new_functions[i].name].new_ones.push_back(static_cast<int>(i));
  std::vector<int> result(old_functions.size(), -1);
  NamesakePairs pairs(old_side, new_side, result);
  for (const auto& [name, namesakes] : named) pairs.find(namesakes);
  std::vector<bool> taken(new_functions.size());
  for (const int function : result) {
    if (function >= 0) taken[index(function)] = true;
  }
  align_renamed(old_side, new_side, result, taken);
  return result;
}

void pair(SiteAlignment& alignment, int old_site, int new_site, bool changed) {
  alignment.new_site[index(old_site)] = new_site;
  alignment.old_site[index(new_site)] = old_site;
  alignment.changed[index(new_site)] = changed;
}

/// Which statement became which, between statements that are the same: of all pairings that keep the order
/// the one with the greatest likeness. Statements with less than half in common are never paired.
class ChangedStatements {
 public:
  ChangedStatements(const TraceSites& old_side, std::span<const int> old_sites, const TraceSites& new_side,
                    std::span<const int> new_sites)
      : old_sites_(old_sites), new_sites_(new_sites), width_(new_sites.size() + 1) {
    // Whole functions were rewritten: there are too many pairs to look at.
    if (old_sites.size() * new_sites.size() > kMostPairs) return;
    best_.assign((old_sites.size() + 1) * width_, 0);
    alike_.assign(best_.size(), 0);
    std::vector<Tokens> new_tokens;
    for (const int& site : new_sites) new_tokens.push_back(new_side.tokens({&site, 1}));
    for (std::size_t i = old_sites.size(); i-- > 0;) {
      const Tokens old_tokens = old_side.tokens(old_sites.subspan(i, 1));
      for (std::size_t j = new_sites.size(); j-- > 0;) {
        const Site &before = old_side.trace.sites[index(old_sites[i])],
                   &now = new_side.trace.sites[index(new_sites[j])];
        if (before.kind == now.kind) alike_[i * width_ + j] = likeness(old_tokens, new_tokens[j]);
        best_[i * width_ + j] =
            std::max({paired(i, j), best_[(i + 1) * width_ + j], best_[i * width_ + j + 1]});
      }
    }
  }

  void pair_alike(SiteAlignment& alignment) const {
    if (best_.empty()) return;
    for (std::size_t i = 0, j = 0; i < old_sites_.size() && j < new_sites_.size();) {
      if (alike_[i * width_ + j] >= kEnough && best_[i * width_ + j] == paired(i, j)) {
        pair(alignment, old_sites_[i++], new_sites_[j++], true);
      } else if (best_[i * width_ + j] == best_[(i + 1) * width_ + j]) {
        ++i;
      } else {
        ++j;
      }
    }
  }

 private:
  static constexpr std::size_t kMostPairs = 100'000;

  double paired(std::size_t i, std::size_t j) const {
    const double alike = alike_[i * width_ + j];
    return best_[(i + 1) * width_ + j + 1] + (alike >= kEnough ? alike : 0);
  }

  std::span<const int> old_sites_, new_sites_;
  std::size_t width_;
  std::vector<double> best_;   ///< the total likeness of the statements from here on
  std::vector<double> alike_;  ///< of each pair
};

void align_statements(const TraceSites& old_side, int old_function, const TraceSites& new_side,
                      int new_function, SiteAlignment& alignment) {
  const std::span<const int> old_sites = old_side.sites[index(old_function)];
  const std::span<const int> new_sites = new_side.sites[index(new_function)];
  Matches matches = align(old_side.function_keys(old_function), new_side.function_keys(new_function));
  matches.emplace_back(static_cast<int>(old_sites.size()), static_cast<int>(new_sites.size()));
  std::size_t old_at = 0, new_at = 0;
  for (const auto& [old_match, new_match] : matches) {
    ChangedStatements(old_side, old_sites.subspan(old_at, index(old_match) - old_at), new_side,
                      new_sites.subspan(new_at, index(new_match) - new_at))
        .pair_alike(alignment);
    old_at = index(old_match) + 1;
    new_at = index(new_match) + 1;
    if (old_at <= old_sites.size()) pair(alignment, old_sites[old_at - 1], new_sites[new_at - 1], false);
  }
}

}  // namespace

SiteAlignment align_sites(const Trace& old_trace, const Trace& new_trace) {
  const TraceSites old_side(old_trace), new_side(new_trace);
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
