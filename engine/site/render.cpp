#include "site/render.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"
#include "edtrace/load.h"
#include "site/beside.h"
#include "site/calculator.h"
#include "site/costs.h"
#include "site/cover_picture.h"
#include "site/data.h"
#include "site/outline.h"
#include "site/page.h"
#include "site/plot_check.h"
#include "site/plot_pictures.h"
#include "site/plot_table.h"
#include "site/profiles.h"
#include "site/ranks.h"
#include "site/search_entries.h"
#include "site/site_pages.h"
#include "site/source_rows.h"
#include "site/templates.h"
#include "site/warning.h"
#include "trace/front_matter.h"
#include "trace/ranks.h"
#include "trace/remaining_answers.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// Of calculators: the page has it as a script.
bool is_module(const std::string& name) {
  return name.ends_with(rendering::Calculator::kModuleEnding);
}

/// What a page refers to of the files that its lecture showed.
struct CopiedFiles {
  std::set<fs::path> assets;
  std::set<fs::path> calculators;  ///< modules, as scripts
};

CopiedFiles copy_shown(std::map<std::string, fs::path> shown, const fs::path& folder) {
  CopiedFiles copied;
  for (const auto& [name, file] : shown) {
    if (!is_module(name)) continue;
    write_file_if_changed(folder / "calculators" / (name + ".js"), module_script(name, read_file(file)));
    copied.calculators.insert(name + ".js");
  }
  std::erase_if(shown, [](const auto& each) { return is_module(each.first); });
  copied.assets = copy_files(shown, folder / "assets");
  return copied;
}

void say(const RenderOptions& options, const std::string& message, const std::string& for_a_person) {
  if (options.warn) return options.warn(message);
  std::cerr << "lectern: "
            << (options.with_shown_place ? options.with_shown_place(for_a_person) : for_a_person) << '\n';
}

/// Says what could not be shown. Returns whether there was no error.
bool report_problems(Renderings& renderings, const RenderOptions& options) {
  for (const std::string& warning : renderings.take_warnings()) say(options, warning, as_warning(warning));
  const std::vector<std::string> errors = renderings.take_errors();
  for (const std::string& error : errors) say(options, error, error);
  return errors.empty();
}

/// A trace to render. Of a further profile it has the one that its lecture's page is made of.
struct PlacedTrace {
  const Trace& trace;
  const fs::path& file;
  fs::path first = {};
  std::vector<RemainingAnswer> answers = {};

  bool beneath() const { return !first.empty(); }
  fs::path folder() const {
    const fs::path lecture = trace.lecture;
    return beneath() ? lecture / trace.profile.value_or(Profile()).name : lecture;
  }
};

/// The files that a run showed. One of a further profile may lack some, since accepted traces have no modules
/// of calculators: the first run of the same version has them.
std::map<std::string, fs::path> files_to_show(const PlacedTrace& run, const RenderOptions& options) {
  std::map<std::string, fs::path> files = shown_files(run.trace, run.file);
  if (!run.beneath()) return files;
  LectureSummary described;
  describe_run(described, run.trace);
  const Website site = read_site(options);
  const LectureSummary* const first = find_first_run(site, run.trace.lecture);
  if (first != nullptr && is_of_other_program(*first, described)) return files;
  if (first != nullptr && is_same_version(*first, described) && fs::exists(run.first))
    files.merge(shown_files(load_trace(run.first), run.first));
  return files;
}

/// For a further run of another program: which of its steps and of the lecture's own run correspond. Returns
/// whether the author's pairs of functions are right.
bool write_counterparts(const PlacedTrace& run, const fs::path& folder, const RenderOptions& options) {
  LectureSummary first_run, described;
  std::string script;
  std::vector<std::string> problems;
  if (run.beneath() && fs::exists(run.first)) {
    const Trace first = for_audience(load_trace(run.first), options.audience);
    describe_run(first_run, first);
    describe_run(described, run.trace);
    if (is_of_other_program(first_run, described))
      script = beside_data(first, run.trace, options.settings, problems);
  }
  write_or_remove(folder / kBesideData, script);
  for (const std::string& problem : problems) say(options, problem, problem);
  return problems.empty();
}

/// The traces of the ranks above 0 of a run of several processes.
std::vector<Trace> traces_of_others(const PlacedTrace& run, const RenderOptions& options) {
  std::vector<Trace> others;
  for (const fs::path& file : rank_files(run.trace, run.file)) {
    if (file == run.file) continue;
    others.push_back(for_audience(load_trace(file), options.audience));
    const int rank = static_cast<int>(others.size());
    if (others.back().lecture == run.trace.lecture && rank_of(others.back()) == rank &&
        world_size(others.back()) == world_size(run.trace))
      continue;
    throw Error(Place{file.string()},
                fmt::format("is not the trace of rank {} of the same run as {}; run the lecture again", rank,
                            run.file.filename().string()));
  }
  return others;
}

void write_search_entries(const fs::path& folder, const Trace& trace, const RenderedSteps& steps,
                          const LectureSummary& summary) {
  std::vector<SearchEntry> entries = search_entries(trace, steps);
  std::ranges::move(work_entries(summary.works), std::back_inserter(entries));
  write_file_if_changed(folder / kSearchFile, to_json(entries));
}

/// Draws a cover that is SVG, for those who show links to the lecture's page where the site has an address.
void write_cover_picture(LectureSummary& summary, const Assets& assets, const fs::path& folder,
                         const RenderOptions& options, const std::function<void(const std::string&)>& warn) {
  const rendering::Cover& cover = *summary.front.cover;
  CoverPicture picture;
  if (is_drawn_cover(cover) && !summary.beneath)
    picture = draw_cover(assets.file(cover.src), options.templates);
  if (!picture.problem.empty() && !options.settings.base_url.empty())
    warn("lecture: no picture is made of the cover for links to the page: " + picture.problem);
  write_or_remove(folder / kCoverPicture, picture.png);
  summary.cover_drawn = !picture.png.empty();
}

LectureSummary summary_of(const PlacedTrace& run, const RenderedSteps& steps, const Renderings& renderings,
                          const RenderOptions& options) {
  LectureSummary summary = summarize(run.trace, steps);
  summary.opening = opening_paragraph(run.trace, steps);
  summary.beneath = run.beneath();
  summary.outline = lecture_outline(run.trace, steps);
  summary.for_students = options.audience.students;
  summary.works = renderings.bibliography().cited(run.trace);
  summary.terms = renderings.terms().mentioned(run.trace);
  return summary;
}

/// Returns whether all was right with it.
bool render_lecture(const PlacedTrace& run, const RenderOptions& options, PlotCheck& plot_check) {
  const Trace& trace = run.trace;
  const fs::path folder = options.output / run.folder();
  const std::map<std::string, fs::path> shown = files_to_show(run, options);
  const Assets assets(shown);
  MathTypesetter math;
  Renderings renderings(trace, assets, math, &plot_check);
  renderings.expect_languages(options.settings.languages);
  renderings.draw_graphs();
  for (const RemainingAnswer& answer : run.answers) renderings.warn(answer.site, answer.problem);
  const RenderedSteps steps = render_steps(trace, renderings);
  const CostAccount costs = cost_account(trace);
  LectureSummary summary = summary_of(run, steps, renderings, options);
  summary.cost_columns = cost_columns(costs);
  if (!assets.contains(summary.front.cover->src)) summary.front.cover = {};

  const fs::path page = folder / "index.html";
  const bool rendered_before = fs::exists(folder / kSummaryFile);
  const auto warn_of_plot = [&renderings](const PlacedPlot& plot, const std::string& what) {
    const bool has_table = !plot_table(plot.spec).empty();
    renderings.warn(plot.site, std::string("plot: no picture is made of it") +
                                   (has_table ? ", its data are shown as a table: " : ": ") + what);
  };
  const RanksOnPage ranks = ranks_on_page(trace, steps, traces_of_others(run, options));
  std::string body =
      with_plot_pictures(lecture_body(trace, steps, run.beneath() ? "../../" : "../"), renderings.plots(),
                         fs::exists(page) ? read_file(page) : std::string(), options.templates,
                         warn_of_plot) +
      ranks.section + cost_section(trace, costs);
  // No page ever refers to a missing file: new files are written first, old ones removed last.
  const auto [kept, calculators] = copy_shown(shown, folder);
  write_cover_picture(summary, assets, folder, options,
                      [&](const std::string& what) { renderings.warn(steps.front_site, what); });
  std::set<fs::path> fragments;
  const auto write_fragments = [&](const std::string& name, const std::string& script) {
    write_file_if_changed(folder / "fragments" / name, script);
    fragments.insert(name);
  };
  write_file_if_changed(folder / "steps.js",
                        page_data(trace, steps, {write_fragments, options.packs_values}));
  write_or_remove(folder / "source.js", take_source_rows(body));
  write_or_remove(folder / "costs.js", cost_data(trace, costs));
  write_or_remove(folder / kRanksData, ranks.script);
  if (!run.beneath()) write_search_entries(folder, trace, steps, summary);
  const Website site = read_site(options, summary);
  const bool is_new = write_file_if_changed(page, lecture_html(options.templates, site, summary, body));
  write_file_if_changed(folder / kSummaryFile, to_json(summary));
  if (rendered_before) {
    keep_files(folder / "assets", kept);
    keep_files(folder / "fragments", fragments);
    keep_files(folder / "calculators", calculators);
  }
  const bool paired = write_counterparts(run, folder, options);
  // Pages of further profiles are made at each build, and what is wrong with them is said when they change.
  if (!is_new && !options.first_traces.empty()) return renderings.take_errors().empty() && paired;
  if (report_problems(renderings, options) && paired) return true;
  // After an error, a build cannot ask the build system whether there is a page of this trace, but the time.
  fs::last_write_time(page, fs::file_time_type::clock::now());
  return false;
}

/// Of a process whose run has the page of its rank 0, which is among the traces.
bool is_shown_with_another(const fs::path& file, const std::vector<fs::path>& traces) {
  return is_of_higher_rank(file) && std::ranges::any_of(traces, [&](const fs::path& first) {
           const std::vector<fs::path> further = rank_files_from(first, 1);
           return std::ranges::find(further, file) != further.end();
         });
}

/// The traces of a call, one after the other, each where it belongs.
class TracePlacer {
 public:
  TracePlacer(const std::vector<fs::path>& traces, const RenderOptions& options) : options_(options) {
    if (options.shows_drafts() || !options.first_traces.empty()) return;
    for (const fs::path& file : traces) {
      const Trace trace = load_trace(file);
      check_lecture_name(trace, file);
      if (is_draft(trace)) drafts_.insert(trace.lecture);
    }
  }

  /// The lectures of which one of the traces, in whatever order they come, says that they are drafts; empty
  /// where that does not matter.
  const std::set<std::string>& drafts() const { return drafts_; }

  /// The run of a trace; nothing if it has no page.
  std::optional<PlacedTrace> place(const Trace& trace, const fs::path& file) {
    check_lecture_name(trace, file);
    if (!options_.shows_drafts() && (is_draft(trace) || drafts_.contains(trace.lecture))) return {};
    PlacedTrace run{trace, file};
    const std::string profile = trace.profile.value_or(Profile()).name;
    if (!options_.first_traces.empty()) {
      if (!fs::exists(options_.output / trace.lecture / kSummaryFile)) return {};
      const auto elsewhere = options_.first_elsewhere.find(trace.lecture);
      run.first = elsewhere != options_.first_elsewhere.end()
                      ? elsewhere->second
                      : options_.first_traces / (trace.lecture + ".json");
    } else if (const auto [first, is_first] = first_.try_emplace(trace.lecture, file, profile); !is_first) {
      run.first = first->second.first;
      if (profile == first->second.second) {
        throw Error(
            Place{file.string()},
            fmt::format("{} is of the same lecture, {}, and of the same profile, \"{}\"; render one of "
                        "them, or record one with another `--profile`",
                        run.first.string(), trace.lecture, profile));
      }
    }
    if (run.beneath()) {
      check_further_profile(trace, file);
      further_.emplace(trace.lecture, profile);
    }
    return run;
  }

  /// Lectures and profiles.
  const std::set<std::pair<std::string, std::string>>& further() const { return further_; }

 private:
  const RenderOptions& options_;
  std::set<std::string> drafts_;
  std::map<std::string, std::pair<fs::path, std::string>> first_;  // of each lecture, and its profile
  std::set<std::pair<std::string, std::string>> further_;
};

}  // namespace

void copy_site_assets(const fs::path& templates, const fs::path& output) {
  const fs::path assets = templates / "assets";
  if (!fs::is_directory(assets)) {
    throw Error(Place{assets.string()},
                "the pages' scripts and styles are not there; build them with the target site-assets");
  }
  for (const fs::path& file : files_below(assets))
    copy_file_if_changed(assets / file, output / "assets" / file);
}

bool render_site(const std::vector<fs::path>& traces, const RenderOptions& options) {
  copy_site_assets(options.templates, options.output);
  PlotCheck plot_check(options.templates);
  TracePlacer placer(traces, options);
  note_drafts(options, placer.drafts());
  bool right = true;
  for (const fs::path& file : traces) {
    if (is_shown_with_another(file, traces)) continue;
    const Trace whole = load_trace(file), trace = for_audience(whole, options.audience);
    auto run = placer.place(trace, file);
    if (!run) continue;
    run->answers = remaining_answers(whole, options.audience);
    right &= render_lecture(*run, options, plot_check);
  }
  if (!options.first_traces.empty()) keep_further_pages(options, placer.further());
  write_site_pages(options);
  return right;
}

}  // namespace lectern
