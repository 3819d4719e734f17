#include "site/render.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "base/characters.h"
#include "base/error.h"
#include "base/files.h"
#include "edtrace/load.h"
#include "site/calculator.h"
#include "site/costs.h"
#include "site/data.h"
#include "site/outline.h"
#include "site/page.h"
#include "site/plot_check.h"
#include "site/plot_pictures.h"
#include "site/search_entries.h"
#include "site/site_pages.h"
#include "site/templates.h"
#include "trace/front_matter.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

/// A lecture's name is its folder in the site.
void check_name(const Trace& trace, const fs::path& file) {
  const std::string& name = trace.lecture;
  const bool plain =
      std::all_of(name.begin(), name.end(), [](char c) { return is_word(c) || c == '-' || c == '.'; });
  if (name.empty() || !plain || name.front() == '.') {
    throw Error(Place{file.string()}, "the lecture's name \"" + name +
                                          "\" cannot be a folder's; use letters, digits, \"-\" and \"_\"");
  }
  if (is_name_of_site(name)) {
    throw Error(Place{file.string()},
                "the site has something else of the name \"" + name + "\"; name the lecture otherwise");
  }
}

/// A page of a run that has none has no such file.
void write_costs(const fs::path& file, const std::string& data) {
  if (data.empty()) {
    fs::remove(file);
  } else {
    write_file_if_changed(file, data);
  }
}

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

/// Says what could not be shown. Returns whether that was nothing.
bool report_problems(Renderings& renderings, const RenderOptions& options, const fs::path& page) {
  for (const std::string& warning : renderings.take_warnings()) {
    if (options.warn) {
      options.warn(warning);
    } else {
      std::cerr << "lectern: " << warning.substr(0, warning.find(": ")) << ": warning"
                << warning.substr(warning.find(": ")) << '\n';
    }
  }
  const std::vector<std::string> errors = renderings.take_errors();
  // After an error, a build cannot ask the build system whether there is a page of this trace, but the time.
  if (!errors.empty()) fs::last_write_time(page, fs::file_time_type::clock::now());
  for (const std::string& error : errors) {
    if (options.warn) {
      options.warn(error);
    } else {
      std::cerr << "lectern: " << error << '\n';
    }
  }
  return errors.empty();
}

/// Returns whether all was right with it.
bool render_lecture(const fs::path& file, const RenderOptions& options, PlotCheck& plot_check) {
  const Trace trace = for_audience(load_trace(file), options.audience);
  check_name(trace, file);
  if (!options.shows_drafts() && is_draft(trace)) return true;
  const fs::path folder = options.output / trace.lecture;
  const std::map<std::string, fs::path> shown = shown_files(trace, file);
  const Assets assets(shown);
  MathTypesetter math;
  Renderings renderings(trace, assets, math, &plot_check);
  renderings.expect_languages(options.settings.languages);
  renderings.draw_graphs();
  const RenderedSteps steps = render_steps(trace, renderings);
  LectureSummary summary = summarize(trace, steps);

  const fs::path page = folder / "index.html";
  const bool rendered_before = fs::exists(folder / "lecture.json");
  const auto warn_of_plot = [&renderings](const PlacedPlot& plot, const std::string& what) {
    renderings.warn(plot.site, "plot: no picture is made of it, its data are shown as a table: " + what);
  };
  const CostAccount costs = cost_account(trace);
  summary.outline = lecture_outline(trace, steps);
  summary.cost_columns = cost_columns(costs);
  summary.for_students = options.audience.students;
  if (!assets.contains(summary.front.cover->src)) summary.front.cover = {};
  const std::string body = with_plot_pictures(lecture_body(trace, steps), renderings.plots(),
                                              fs::exists(page) ? read_file(page) : std::string(),
                                              options.templates, warn_of_plot) +
                           cost_section(trace, costs);
  // No page ever refers to a missing file: new files are written first, old ones removed last.
  const auto [kept, calculators] = copy_shown(shown, folder);
  std::set<fs::path> fragments;
  const auto write_fragments = [&](const std::string& name, const std::string& script) {
    write_file_if_changed(folder / "fragments" / name, script);
    fragments.insert(name);
  };
  write_file_if_changed(folder / "steps.js", page_data(trace, steps, write_fragments));
  write_costs(folder / "costs.js", cost_data(trace, costs));
  write_file_if_changed(folder / kSearchFile, to_json(search_entries(trace, steps)));
  write_file_if_changed(page, lecture_html(options.templates, read_site(options, summary), summary, body));
  write_file_if_changed(folder / "lecture.json", to_json(summary));
  if (rendered_before) {
    keep_files(folder / "assets", kept);
    keep_files(folder / "fragments", fragments);
    keep_files(folder / "calculators", calculators);
  }
  return report_problems(renderings, options, page);
}

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
  bool right = true;
  for (const fs::path& trace : traces) right &= render_lecture(trace, options, plot_check);
  write_site_pages(options);
  return right;
}

}  // namespace lectern
