#include "instrument/lecture_files.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "base/depfile.h"
#include "base/files.h"
#include "instrument/grammar.h"
#include "instrument/program.h"

namespace lectern {

namespace {

namespace fs = std::filesystem;

/// Files with other extensions (tables of macros, data) are not instrumented: they may be included more than
/// once.
bool is_source(const fs::path& path) {
  constexpr auto extensions = std::to_array<std::string_view>(
      {".h", ".hpp", ".hh", ".hxx", ".cuh", ".cpp", ".cc", ".cxx", ".cu", ".inl", ".ipp", ".tpp", ""});
  return std::ranges::count(extensions, path.extension().string()) > 0;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Whether a file that is not instrumented has something to step.
bool has_functions(const std::string& text, const fs::path& file) {
  const ParsedSource parsed = parse_with_recovery(text, source_language(file.string()));
  if (parsed.tree.root() == nullptr || parsed.fatal_error) return text.find('{') != std::string::npos;
  const auto has_body = [](const Node& node) {
    return node.is("function_definition", "lambda_expression") &&
           node.child_of_kind("compound_statement") != nullptr;
  };
  return find_node(*parsed.tree.root(), has_body) != nullptr ||
         std::ranges::any_of(parsed.unparsed, [&](const UnparsedPart& part) {
           return text.substr(part.span.begin, part.span.end - part.span.begin).find('{') !=
                  std::string::npos;
         });
}

/// One file of a lecture.
struct File {
  File(fs::path from, fs::path to, InstrumentOptions chosen)
      : source(std::move(from)),
        output(std::move(to)),
        options(std::move(chosen)),
        text(read_file(source)),
        program(text, options) {}

  fs::path source, output;
  InstrumentOptions options;
  std::string text;
  Program program;
};

class Collector {
 public:
  Collector(fs::path folder, bool inspect_all) : folder_(std::move(folder)), inspect_all_(inspect_all) {}

  /// Reads the file, then those that it includes and that were not read yet.
  void add(const fs::path& source, const fs::path& output) {
    const fs::path canonical = fs::weakly_canonical(source);
    if (!seen_.insert(canonical).second) return;
    File& file =
        files_.emplace_back(canonical, output,
                            InstrumentOptions{.inspect_all = inspect_all_,
                                              .path = canonical.lexically_relative(folder_).generic_string(),
                                              .folder = folder_,
                                              .original = canonical});
    read_source(file.program);
    names_.add(file.program);
    for (const Include& include : file.program.includes) {
      for (const std::string& name : names_of(include)) {
        const fs::path included = fs::weakly_canonical(canonical.parent_path() / name);
        if (!fs::is_regular_file(included)) continue;
        if (is_inside(included, folder_) && is_source(included) && !include.inside) {
          add(included, (output.parent_path() / name).lexically_normal());
        } else {
          add_unstepped(include, included, file.program);
        }
      }
    }
  }

  void instrument() {
    for (File& file : files_) {
      Instrumented instrumented = insert_probes(file.program, names_);
      result.sources.push_back(file.source);
      result.outputs.push_back(file.output);
      result.parsed = result.parsed && instrumented.parsed;
      result.traced_functions += instrumented.traced_functions;
      result.untraced_functions += instrumented.untraced_functions;
      std::ranges::move(instrumented.diagnostics, std::back_inserter(result.diagnostics));
      texts.push_back(std::move(instrumented.text));
    }
  }

  InstrumentedLecture result;
  std::vector<std::string> texts;
  std::set<fs::path> unstepped;  ///< included, and not instrumented

 private:
  /// The files that an include may name: a macro has other values under other conditions.
  std::vector<std::string> names_of(const Include& include) const {
    if (!include.by_macro) return {include.name};
    std::vector<std::string> names;
    std::set<std::string> known{include.name};
    for (std::vector<std::string> open{include.name}; !open.empty();) {
      const std::string name = std::move(open.back());
      open.pop_back();
      for (const Macro& macro : names_.macros) {
        if (macro.name != name || macro.has_parameters || macro.body.size() != 1) continue;
        const std::string& value = macro.body.front();
        if (value.size() > 2 && value.starts_with('"')) {
          names.push_back(value.substr(1, value.size() - 2));
        } else if (known.insert(value).second) {
          open.push_back(value);
        }
      }
    }
    return names;
  }

  /// Such a file may define macros; of functions in one of the lecture's folder the file that includes it
  /// warns.
  void add_unstepped(const Include& include, const fs::path& file, Program& includer) {
    if (!unstepped.insert(file).second) return;
    const std::string text = read_file(file);
    std::ranges::move(find_macros(text), std::back_inserter(names_.macros));
    if (!is_inside(file, folder_) || !has_functions(text, file)) return;
    const std::string name = file.filename().string();
    const std::string why =
        include.inside ? "it is included inside a class or namespace; include it outside, or write them here"
                       : fmt::format("files of the kind {} are not; name it {}", file.extension().string(),
                                     fs::path(name).replace_extension(".h").string());
    includer.diagnostics.push_back({Diagnostic::Severity::warning, include.place,
                                    fmt::format("the functions in {} are not stepped: {}", name, why)});
  }

  fs::path folder_;
  bool inspect_all_;
  std::set<fs::path> seen_;
  std::deque<File> files_;
  LectureNames names_;
};

}  // namespace

InstrumentedLecture instrument_lecture(const fs::path& main_file, const fs::path& output,
                                       const LectureOptions& options) {
  const fs::path main = fs::weakly_canonical(main_file);
  const fs::path folder = options.folder.empty() ? main.parent_path() : fs::weakly_canonical(options.folder);
  Collector collector(folder, options.inspect_all);
  collector.add(main, fs::absolute(output).lexically_normal());
  collector.instrument();
  InstrumentedLecture& result = collector.result;
  result.ok = std::ranges::count(result.diagnostics, Diagnostic::Severity::error, &Diagnostic::severity) == 0;
  if (!result.ok) return std::move(result);
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (fs::weakly_canonical(result.outputs[i]) == result.sources[i]) {
      throw Error(Place{result.sources[i].string()},
                  "the output would overwrite the source; name another folder");
    }
    write_file_if_changed(result.outputs[i], collector.texts[i]);
  }
  if (!options.depfile.empty()) {
    std::string rule = escape_for_make(output) + ":";
    for (const fs::path& source : result.sources) rule += prerequisite_for_make(source);
    for (const fs::path& file : collector.unstepped) rule += prerequisite_for_make(file);
    write_file_if_changed(options.depfile, rule + "\n");
  }
  return std::move(result);
}

}  // namespace lectern
