#include "check/diff.h"

#include <algorithm>
#include <compare>
#include <map>
#include <numeric>
#include <regex>

#include <fmt/format.h>

#include "check/align_steps.h"
#include "check/compare_source_files.h"
#include "check/compare_steps.h"
#include "check/excerpt.h"
#include "check/merge_neighbours.h"
#include "check/notes.h"
#include "trace/align.h"
#include "trace/encode.h"
#include "trace/identity.h"
#include "trace/step_link.h"

namespace lectern {
namespace {

std::string times(std::size_t count) {
  return count == 1 ? "once" : count == 2 ? "twice" : std::to_string(count) + " times";
}

/// One of the traces, with what names its steps.
struct Side {
  explicit Side(const Trace& run)
      : trace(run),
        identities(site_identities(run)),
        passes(lectern::passes(run)),
        executions(run.sites.size()) {
    for (const Step& step : run.steps) executions[index(step.site)] += step.after ? 0 : 1;
    for (const LeftOut& left_out : run.left_out)
      for (const auto& [site, count] : left_out.runs)
        executions[static_cast<std::size_t>(site)] += static_cast<std::size_t>(count);
  }

  DifferencePlace place(int site, int step) const {
    const TracedFunction& function = trace.functions[index(trace.sites[index(site)].function)];
    DifferencePlace place{
        trace.sources[index(function.source)].path, trace.sites[index(site)].span.line, step, {}};
    if (step >= 0) place.link = step_link(trace, identities, passes, step);
    return place;
  }
  const std::string& function_name(int site) const {
    return trace.functions[index(trace.sites[index(site)].function)].name;
  }

  const Trace& trace;
  std::vector<std::string> identities;
  std::vector<Pass> passes;
  std::vector<std::size_t> executions;  ///< of each site
};

/// Occurrences with the same key are one item.
struct ItemKey {
  DifferenceKind kind;
  int old_site, new_site;
  std::string subject;
  auto operator<=>(const ItemKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

class Differ {
 public:
  Differ(const Trace& old_trace, const Trace& new_trace, const DiffOptions& options)
      : options_(options),
        old_(old_trace),
        new_(new_trace),
        sites_(align_sites(old_trace, new_trace)),
        steps_(align_steps(old_trace, new_trace, sites_)) {}

  Diff all() {
    diff_.lecture = new_.trace.lecture;
    diff_.old_lecture = old_.trace.lecture;
    diff_.old_steps = old_.trace.steps.size();
    diff_.new_steps = new_.trace.steps.size();
    diff_.notes = profile_notes(old_.trace, new_.trace);
    diff_.uncompared_files = uncompared_files(old_.trace, new_.trace, options_.files);
    compare_runs();
    compare_left_out();
    compare_end();
    compare_sources();
    diff_.items = merge_neighbours(std::move(diff_.items));
    for (Difference& item : diff_.items) name(item);
    return std::move(diff_);
  }

 private:
  // --- steps -----------------------------------------------------------------------------------------------

  /// Goes over the new run, and over what only the old one has where it stood.
  void compare_runs() {
    StepComparison comparison(old_.trace, new_.trace, options_);
    diff_.nearest_old_step.assign(new_.trace.steps.size(), -1);
    int old_step = 0, nearest = -1;
    const auto catch_up = [&](int until) {
      for (; old_step < until; ++old_step) {
        if (steps_.new_step[index(old_step)] < 0) only_old(old_step);
      }
    };
    for (int step = 0; step < static_cast<int>(new_.trace.steps.size()); ++step) {
      const int counterpart = steps_.old_step[index(step)];
      if (counterpart >= 0) {
        catch_up(counterpart);
        nearest = counterpart;
        ++diff_.compared;
        const StepAlignment::SecondStep second = steps_.second_of(step);
        if (second.both_call)
          changed(counterpart, step,
                  {.kind = DifferenceKind::control_flow,
                   .subject = "return",
                   .message = return_text(second.new_step >= 0)});
        for (Difference& change : comparison.compare(counterpart, step, second))
          changed(counterpart, step, std::move(change));
      } else {
        only_new(step);
      }
      diff_.nearest_old_step[index(step)] = std::max(nearest, 0);
    }
    catch_up(static_cast<int>(old_.trace.steps.size()));
  }

  static const char* return_text(bool returns) {
    return returns ? "did not come back from its call → did" : "came back from its call → did not";
  }

  void changed(int old_step, int new_step, Difference change) {
    const int old_site = old_.trace.steps[index(old_step)].site,
              new_site = new_.trace.steps[index(new_step)].site;
    Difference* const item =
        occurrence({change.kind, old_site, new_site, change.subject}, old_step, new_step);
    if (item == nullptr) return;
    item->field = change.field;
    item->message = std::move(change.message);
    item->value = std::move(change.value);
  }

  /// A step that only the old run has.
  void only_old(int step) {
    if (steps_.old_inside[index(step)]) return;
    const int site = old_.trace.steps[index(step)].site, counterpart = sites_.new_site[index(site)];
    if (steps_.old_returns.contains(step))
      note({DifferenceKind::control_flow, site, counterpart, "return"}, step, -1, return_text(false));
    if (old_.trace.steps[index(step)].after) return;
    if (counterpart >= 0) return ran_otherwise(site, counterpart, step, -1);
    note({DifferenceKind::missing, site, -1, "statement"}, step, -1,
         "this statement is gone; it ran " + times(old_.executions[index(site)]));
  }
  void only_new(int step) {
    if (steps_.new_inside[index(step)]) return;
    const int site = new_.trace.steps[index(step)].site, counterpart = sites_.old_site[index(site)];
    if (steps_.new_returns.contains(step))
      note({DifferenceKind::control_flow, counterpart, site, "return"}, -1, step, return_text(true));
    if (new_.trace.steps[index(step)].after) return;
    if (counterpart >= 0) return ran_otherwise(counterpart, site, -1, step);
    note({DifferenceKind::added, -1, site, "statement"}, -1, step,
         "this statement is new; it runs " + times(new_.executions[index(site)]));
  }
  void ran_otherwise(int old_site, int new_site, int old_step, int new_step) {
    const std::size_t before = old_.executions[index(old_site)], now = new_.executions[index(new_site)];
    note({DifferenceKind::control_flow, old_site, new_site, "statement"}, old_step, new_step,
         before == now ? "ran " + times(now) + " as before, but at other moments"
         : now == 0    ? "ran " + times(before) + " → never"
         : before == 0 ? "never ran → " + times(now)
                       : "ran " + times(before) + " → " + times(now));
  }

  void note(const ItemKey& key, int old_step, int new_step, std::string message) {
    if (Difference* const item = occurrence(key, old_step, new_step)) item->message = std::move(message);
  }

  /// The item when this is its first occurrence; else it is counted.
  Difference* occurrence(const ItemKey& key, int old_step, int new_step) {
    if (options_.ignored.contains(key.kind)) return nullptr;
    const auto [known, is_first] = items_.try_emplace(key, diff_.items.size());
    if (!is_first) {
      ++diff_.items[known->second].steps;
      return nullptr;
    }
    Difference& item = diff_.items.emplace_back(Difference{
        .kind = key.kind, .subject = key.subject, .old_site = key.old_site, .new_site = key.new_site});
    item.function = key.new_site >= 0 ? new_.function_name(key.new_site) : old_.function_name(key.old_site);
    if (key.old_site >= 0) item.old_place = old_.place(key.old_site, old_step);
    if (key.new_site >= 0) item.new_place = new_.place(key.new_site, new_step);
    return &item;
  }

  /// Passes of a loop that were not recorded, and the functions that they called.
  struct LeftOutPasses {
    std::vector<std::int64_t> counts;
    std::map<int, std::int64_t> calls;  ///< by the new trace's function; -1: it has none

    std::int64_t sum() const { return std::reduce(counts.begin(), counts.end()); }
  };
  template <typename NewFunction>
  static void add(LeftOutPasses& passes, const LeftOut& left_out, const NewFunction& new_function) {
    passes.counts.push_back(left_out.passes);
    for (const auto& [function, count] : left_out.calls)
      passes.calls[new_function(static_cast<std::size_t>(function))] += count;
  }

  /// Of the first function that was called more or less often.
  std::string called_text(const std::map<int, std::int64_t>& before,
                          const std::map<int, std::int64_t>& now) const {
    for (std::size_t function = 0; function < new_.trace.functions.size(); ++function) {
      const auto count = [&](const auto& calls) {
        const auto found = calls.find(static_cast<int>(function));
        return found == calls.end() ? 0 : found->second;
      };
      if (count(before) != count(now))
        return fmt::format("passes that were not recorded called {}: {} → {}",
                           new_.trace.functions[function].name, count(before), count(now));
    }
    return "passes that were not recorded called other functions";
  }

  /// By the loop's new site: what was left out before and now; what ran in it.
  void compare_left_out() {
    std::map<int, std::pair<LeftOutPasses, LeftOutPasses>> passes;
    for (const LeftOut& old_one : old_.trace.left_out)
      add(passes[sites_.new_site[index(old_one.loop)]].first, old_one,
          [&](std::size_t function) { return sites_.new_function[function]; });
    for (const LeftOut& new_one : new_.trace.left_out)
      add(passes[new_one.loop].second, new_one,
          [](std::size_t function) { return static_cast<int>(function); });
    for (const auto& [loop, sides] : passes) {
      if (loop < 0 || sites_.old_site[index(loop)] < 0) continue;
      const auto& [before, now] = sides;
      const ItemKey key{DifferenceKind::control_flow, sites_.old_site[index(loop)], loop, "passes"};
      if (before.counts != now.counts) {
        note(key, -1, -1, fmt::format("{} passes were not recorded → {}", before.sum(), now.sum()));
      } else if (before.calls != now.calls) {
        note(key, -1, -1, called_text(before.calls, now.calls));
      }
    }
    for (int site = 0; !passes.empty() && site < static_cast<int>(new_.executions.size()); ++site) {
      const int old = sites_.old_site[index(site)];
      if (old < 0 || old_.executions[index(old)] == new_.executions[index(site)] || passes.contains(site))
        continue;
      if (!items_.contains({DifferenceKind::control_flow, old, site, "statement"}))
        ran_otherwise(old, site, -1, -1);
    }
  }

  // --- the run as a whole ----------------------------------------------------------------------------------

  /// Errors of hooks begin with "FILE:LINE: ", which edits elsewhere change.
  static std::string without_place(const std::string& text) {
    static const std::regex place("^[^: ]+:[0-9]+(:[0-9]+)?: ");
    return std::regex_replace(text, place, "", std::regex_constants::format_first_only);
  }

  static std::string end_text(const Trace& trace) {
    std::string text = trace.end.by;
    if (!trace.end.signal.empty()) text += " " + trace.end.signal;
    if (const int status = trace.end.status.value_or(0); status != 0)
      text += fmt::format(", status {}", status);
    const bool tells_more = trace.end.by == "exception" || trace.end.by == "signal";
    if (!tells_more || trace.steps.empty()) return text;
    const auto ended = trace.steps.back().details().ended;
    if (!ended) return text;
    for (const std::string& detail : {ended->type, ended->what}) {
      if (!detail.empty()) text += ", " + without_place(detail);
    }
    return text;
  }

  void compare_end() {
    const std::string before = end_text(old_.trace), now = end_text(new_.trace);
    if (before != now) run_item(DifferenceKind::control_flow, "run", "ended by " + before + " → " + now);
    // What came past the streams belongs to the last step.
    const bool is_volatile = last_step_is_volatile(old_) || last_step_is_volatile(new_);
    const auto printed = [](const Trace& trace) { return trace.end.out.bytes + trace.end.err.bytes; };
    if (const std::string was = printed(old_.trace), is = printed(new_.trace); was != is && !is_volatile)
      run_item(DifferenceKind::rendering, "printed past the streams", text_change(was, is));
  }

  static bool last_step_is_volatile(const Side& side) {
    if (side.trace.steps.empty()) return false;
    const auto& names = side.trace.sites[index(side.trace.steps.back().site)].volatile_names;
    return std::find(names.begin(), names.end(), "*") != names.end();
  }

  void run_item(DifferenceKind kind, const char* subject, std::string message) {
    if (options_.ignored.contains(kind)) return;
    const auto last_place = [](const Side& side) {
      const int last = static_cast<int>(side.trace.steps.size()) - 1;
      return last < 0 ? DifferencePlace{} : side.place(side.trace.steps[index(last)].site, last);
    };
    diff_.items.push_back({.kind = kind,
                           .subject = subject,
                           .message = std::move(message),
                           .old_place = last_place(old_),
                           .new_place = last_place(new_)});
  }

  // --- the source ------------------------------------------------------------------------------------------

  /// Statements that were changed, added or removed without any effect, then what else is new in a file.
  void compare_sources() {
    if (options_.ignored.contains(DifferenceKind::source)) return;
    const char* const unchanged =
        diff_.same() ? "changed, with the same effect" : "changed; itself it did the same";
    std::vector<bool> old_reported(old_.trace.sites.size()), new_reported(new_.trace.sites.size());
    std::set<std::string> files;
    for (const auto& [key, item] : items_) {
      if (key.old_site >= 0) old_reported[index(key.old_site)] = true;
      if (key.new_site >= 0) new_reported[index(key.new_site)] = true;
      if (key.kind == DifferenceKind::missing || key.kind == DifferenceKind::added) {
        files.insert(diff_.items[item].new_place.path);
        files.insert(diff_.items[item].old_place.path);
      }
    }
    for (int site = 0; site < static_cast<int>(new_reported.size()); ++site) {
      const int counterpart = sites_.old_site[index(site)];
      const bool news = counterpart < 0 ? new_.executions[index(site)] == 0 : sites_.changed[index(site)];
      if (!news) continue;
      files.insert(new_.place(site, -1).path);
      if (new_reported[index(site)] || (counterpart >= 0 && old_reported[index(counterpart)])) continue;
      source_item(counterpart, site, counterpart < 0 ? "new, and never runs" : unchanged);
    }
    for (int site = 0; site < static_cast<int>(old_reported.size()); ++site) {
      if (sites_.new_site[index(site)] >= 0 || old_.executions[index(site)] > 0) continue;
      files.insert(old_.place(site, -1).path);
      source_item(site, -1, "gone; it never ran");
    }
    for (Difference& change : compare_source_files(old_.trace, new_.trace, files))
      diff_.items.push_back(std::move(change));
  }

  void source_item(int old_site, int new_site, const char* message) {
    note({DifferenceKind::source, old_site, new_site, "statement"},
         old_site >= 0 ? first_step(old_, old_site) : -1, new_site >= 0 ? first_step(new_, new_site) : -1,
         message);
  }

  static int first_step(const Side& side, int site) {
    if (side.executions[index(site)] == 0) return -1;
    const auto found = std::find_if(side.trace.steps.begin(), side.trace.steps.end(),
                                    [&](const Step& step) { return step.site == site; });
    return static_cast<int>(found - side.trace.steps.begin());
  }

  // --- names -----------------------------------------------------------------------------------------------

  /// An item keeps its name as long as its statement, kind and subject are the same.
  void name(Difference& item) {
    const DifferencePlace& place = main_place(item);
    const std::string link = place.link.substr(0, place.link.find('/'));
    std::string text(to_string(item.kind));
    for (const std::string& part :
         {item.function, link.empty() ? place.path + std::to_string(place.line) : link, item.subject})
      text += '\n' + part;
    const int ordinal = ++named_[text];
    if (ordinal > 1) text += '\n' + std::to_string(ordinal);
    item.id = token_hash(text, "").substr(0, 6);
  }

  const DiffOptions& options_;
  Side old_, new_;
  SiteAlignment sites_;
  StepAlignment steps_;
  Diff diff_;
  std::map<ItemKey, std::size_t> items_;
  std::map<std::string, int> named_;
};

}  // namespace

std::string_view to_string(DifferenceKind kind) {
  return kDifferenceKinds[static_cast<std::size_t>(kind)];
}

const DifferencePlace& main_place(const Difference& item) {
  return item.new_place.line > 0 ? item.new_place : item.old_place;
}

std::size_t Diff::count(DifferenceKind kind) const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [&](const Difference& item) { return item.kind == kind; }));
}

Diff diff_traces(const Trace& old_trace, const Trace& new_trace, const DiffOptions& options) {
  return Differ(old_trace, new_trace, options).all();
}

}  // namespace lectern
