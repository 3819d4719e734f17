#include "site/document.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files.h"
#include "base/fnv.h"
#include "base/harmless_markdown.h"
#include "base/html.h"
#include "base/joining.h"
#include "base/markdown_links.h"
#include "base/media_type.h"
#include "base/path_url.h"
#include "base/readable_numbers.h"
#include "edtrace/viewer.h"
#include "site/file_texts.h"
#include "site/page.h"
#include "site/rows.h"
#include "trace/identity.h"

namespace lectern {
namespace {

/// What each statement showed and printed in its last pass: with a call in between, in two steps.
struct LastPasses {
  explicit LastPasses(const Trace& trace) : show(trace.sites.size()), printed(trace.sites.size()) {
    const std::vector<Pass> pass = passes(trace);
    std::vector<Pass> last(trace.sites.size(), Pass{0, 0});
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      const std::size_t site = index(trace.steps[i].site);
      StepDetails details = trace.steps[i].details();
      if (details.show.empty() && details.out.empty()) continue;
      if (last[site] != pass[i]) {
        show[site].clear();
        printed[site].clear();
        last[site] = pass[i];
      }
      std::ranges::move(details.show, std::back_inserter(show[site]));
      printed[site] += details.out.bytes;
    }
  }
  std::vector<std::vector<Rendering>> show;  ///< by site
  std::vector<std::string> printed;
};

/// A line as readers see it: without its directives.
std::string shown_code(std::string html) {
  constexpr std::string_view kDirective = "<span class=\"directive\">", kBegin = "<span", kEnd = "</span>";
  for (std::size_t at = html.find(kDirective); at != std::string::npos; at = html.find(kDirective, at)) {
    std::size_t end = at + kDirective.size();
    for (int depth = 1; depth > 0;) {
      const std::size_t close = html.find(kEnd, end), open = html.find(kBegin, end);
      if (close == std::string::npos) break;
      depth += open < close ? 1 : -1;
      end = open < close ? open + kBegin.size() : close + kEnd.size();
    }
    html.erase(at, end - at);
  }
  std::string text = html_to_text(html);
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// What one statement rendered, as Markdown.
class Prose {
 public:
  Prose(const DocumentOptions& options, Document& document) : options_(options), document_(document) {}

  DocumentBlock write(const std::vector<Rendering>& show) {
    block_ = {};
    for (const Rendering& rendering : show)
      std::visit([&](const auto& form) { draw(form, rendering); }, rendering.form);
    return std::move(block_);
  }

  /// Of what shows no files.
  static std::string harmless(std::string_view markdown) {
    return harmless_markdown(portable_markdown(markdown), [](const std::string&) { return false; });
  }

  /// Of a list of works.
  static std::string reference(const rendering::Link& work) {
    std::string text = portable_markdown(work_authors(work));
    text += linked(portable_markdown(work.title.empty() ? reference_label(work) : work.title),
                   work_address(work));
    const std::string source = portable_markdown(work_source(work));
    return text + (source.empty() ? "." : ". " + source + ".");
  }

 private:
  static std::string linked(const std::string& label, const std::string& url) {
    if (url.empty() || !safe_link(url)) return label;
    return "[" + escaped_label(label) + "](<" + without_brackets(url) + ">)";
  }

  void draw(const rendering::Front& /*front*/, const Rendering& /*same*/) {}
  void draw(const rendering::Note& /*note*/, const Rendering& /*same*/) {}

  void draw(const rendering::Text& text, const Rendering& /*same*/) {
    const std::string markdown = with_files(portable_markdown(text.markdown));
    const bool paragraph = markdown.find("\n\n") == std::string::npos;
    add(markdown, paragraph && after_link_);
    after_link_ = false;
    may_join_ = paragraph;
  }

  void draw(const rendering::Link& link, const Rendering& /*same*/) {
    const std::string label = portable_markdown(reference_label(link));
    const auto [name, rest] = linked_file(link.url);
    const auto file = options_.files.find(name);
    if (!link.function.empty()) {
      add("`" + link.function + "`", may_join_);
    } else if (file != options_.files.end()) {
      add("[" + escaped_label(label) + "](" + address_of(name, read_file(file->second)) + rest + ")",
          may_join_);
    } else {
      add(linked(label, link.url), may_join_);
    }
    after_link_ = may_join_ = true;
  }

  void draw(const rendering::Term& /*term*/, const Rendering& same) {
    add(with_files(portable_markdown(same)), may_join_);
    after_link_ = may_join_ = true;
  }

  void draw(const rendering::Image& image, const Rendering& /*same*/) {
    const auto file = options_.files.find(image.src);
    add_block(file == options_.files.end()
                  ? "*Image: " + portable_markdown(image.alt.empty() ? image.src : image.alt) + "*"
                  : picture(image.src, image.alt.empty() ? "Image" : image.alt, read_file(file->second)));
    add_caption(image.caption);
  }

  void draw(const rendering::Plot& plot, const Rendering& same) {
    const auto drawn = options_.plots.find(plot.spec.text);
    const std::string name = fmt::format("plot-{:016x}.svg", fnv1a_64(plot.spec.text));
    add_block(drawn == options_.plots.end() ? with_files(portable_markdown(same))
                                            : picture(name,
                                                      !plot.alt.empty()       ? plot.alt
                                                      : !plot.caption.empty() ? plot.caption
                                                                              : "Plot",
                                                      drawn->second));
    add_caption(plot.caption);
  }

  void draw(const rendering::Video& video, const Rendering& same) {
    add_block("*Video: " + portable_markdown(video.alt.empty() ? video.src : video.alt) + "*");
    add_caption(video.caption);
    add_file_texts(same);
  }

  void draw(const rendering::Exercise& /*exercise*/, const Rendering& same) {
    add_block(with_files(portable_markdown(same)));
    add_file_texts(same);
  }

  template <typename Form>
  void draw(const Form& form, const Rendering& same) {
    add_block(with_files(portable_markdown(same)));
    if constexpr (requires { form.caption; }) add_caption(form.caption);
  }

  std::string picture(const std::string& file, const std::string& alt, std::string bytes) {
    return "![" + escaped_label(alt) + "](" + address_of(file, std::move(bytes)) + ")";
  }

  /// The file under a name that stands in an address as it is: by that, readers of notebooks look for
  /// attachments.
  std::string address_of(const std::string& file, std::string bytes) {
    const std::string name =
        path_url(file) == file ? file : fmt::format("file-{:016x}{}", fnv1a_64(file), media_ending(bytes));
    document_.files.emplace(name, std::move(bytes));
    block_.files.push_back(name);
    return options_.folder + name;
  }

  /// Markdown whose links and images lead to the lecture's files, and no image elsewhere.
  std::string with_files(const std::string& markdown) {
    const auto shows = [this](const std::string& address) {
      return options_.files.contains(linked_file(address).name);
    };
    return with_addresses(
        harmless_markdown(markdown, shows), [this](const std::string& address) -> std::string {
          const auto [name, rest] = linked_file(address);
          const auto file = options_.files.find(name);
          return file == options_.files.end() ? "" : address_of(name, read_file(file->second)) + rest;
        });
  }

  /// Of an address, what would end it.
  static std::string without_brackets(const std::string& address) {
    std::string out;
    for (const char c : address)
      out += c == '<' ? "%3C" : c == '>' ? "%3E" : c == '\n' ? "" : std::string(1, c);
    return out;
  }

  /// Within the brackets of a link.
  static std::string escaped_label(const std::string& text) {
    std::string out;
    for (const char c : text) {
      if (c == '[' || c == ']') out += '\\';
      out += c == '\n' ? ' ' : c;
    }
    return out;
  }

  void add_block(const std::string& markdown) {
    add(markdown, false);
    after_link_ = may_join_ = false;
  }
  void add_caption(const std::string& caption) {
    if (!caption.empty()) add_block("*" + with_files(portable_markdown(caption)) + "*");
  }
  void add_file_texts(const Rendering& rendering) {
    for (const std::string& text : file_texts(rendering, options_.files)) add_block(harmless(text));
  }
  void add(const std::string& markdown, bool joins) {
    std::string& text = block_.text;
    if (!text.empty()) text += !joins ? "\n\n" : blank_between(text, markdown) ? " " : "";
    text += markdown;
  }

  const DocumentOptions& options_;
  Document& document_;
  DocumentBlock block_;
  bool after_link_ = false, may_join_ = false;
};

class DocumentWriter {
 public:
  DocumentWriter(const Trace& trace, const RenderedSteps& steps, const std::vector<CitedWork>& works,
                 const DocumentOptions& options)
      : trace_(trace), steps_(steps), works_(works), last_(trace), prose_(options, document_) {}

  Document run() {
    add_title();
    const std::vector<PagePart> parts = page_parts(trace_);
    std::map<int, std::pair<std::vector<CodeLine>, std::vector<PageLine>>> sources;
    for (const PagePart& part : parts) {
      const SourceFile& source = trace_.sources[index(part.source)];
      const auto [known, is_new] = sources.try_emplace(part.source);
      auto& [code, lines] = known->second;
      if (is_new) {
        code = code_lines(source.lines, source.language);
        lines = page_lines(trace_, steps_, part.source, code, parts);
      }
      for (int line = part.first; line <= part.last; ++line)
        add_line(source.language, code[index(line - 1)], lines[index(line - 1)]);
      end_code();
    }
    add_references();
    return std::move(document_);
  }

 private:
  void add_title() {
    const LectureSummary summary = summarize(trace_, steps_);
    document_.title = summary.title;
    std::string text = "# " + Prose::harmless(summary.title);
    const std::string date = show_date(summary.front.date);
    std::string facts = fmt::format("{}", fmt::join(summary.front.authors, ", "));
    if (!date.empty()) facts += (facts.empty() ? "" : " · ") + date;
    if (!facts.empty()) text += "\n\n" + Prose::harmless(facts);
    const std::string& description = summary.front.description;
    if (!description.empty()) text += "\n\n" + Prose::harmless(description);
    if (!summary.front.goals.empty()) {
      text += "\n\nAfter this lecture you can\n";
      for (const std::string& goal : summary.front.goals) text += "\n- " + Prose::harmless(goal);
    }
    if (!summary.front.prerequisites.empty()) {
      const std::string all = fmt::format("{}", fmt::join(summary.front.prerequisites, ", "));
      text += "\n\nIt builds on " + Prose::harmless(all) + ".";
    }
    if (!summary.ended.empty()) text += "\n\n**" + Prose::harmless(summary.ended) + ".**";
    document_.blocks.push_back({.text = std::move(text)});
  }

  void add_references() {
    if (works_.empty()) return;
    std::string text = "## References\n";
    for (std::size_t i = 0; i < works_.size(); ++i)
      text += fmt::format("\n{}. {}", i + 1, Prose::reference(works_[i].work));
    document_.blocks.push_back({.text = std::move(text)});
  }

  void add_line(const std::string& language, const CodeLine& line, const PageLine& at) {
    for (const int site : at.shown) add_prose(site);
    const bool code = at.kind == LineKind::code && !at.hide && !at.aside;
    if (code) {
      code_.kind = DocumentBlock::Kind::code;
      code_.language = language;
      code_.text += shown_code(line.html) + "\n";
      for (const int site : at.ending) add_results(site);
    } else if (at.kind == LineKind::blank && !code_.text.empty()) {
      code_.text += "\n";
    }
    for (const int site : at.under) add_prose(site);
  }

  void add_prose(int site) {
    DocumentBlock block = prose_.write(last_.show[index(site)]);
    if (block.text.empty()) return;
    end_code();
    std::vector<DocumentBlock>& blocks = document_.blocks;
    const bool joins =
        blocks.size() > 1 && blocks.back().kind == DocumentBlock::Kind::prose && !block.text.starts_with('#');
    if (!joins) return blocks.push_back(std::move(block));
    blocks.back().text += "\n\n" + block.text;
    std::ranges::move(block.files, std::back_inserter(blocks.back().files));
  }

  void add_results(int site) {
    const FinalState& state = steps_.sites[index(site)];
    for (const auto& [name, number] : state.vars)
      code_.results.push_back(name + " = " + steps_.values[index(number)].text);
    if (state.claims >= 0) code_.results.push_back(html_to_text(steps_.html[state.claims]));
    code_.printed += last_.printed[index(site)];
  }

  void end_code() {
    while (code_.text.ends_with("\n\n") || code_.text.ends_with(" \n"))
      code_.text.erase(code_.text.size() - 2, 1);
    // Lone brackets close what prose has interrupted.
    if (code_.text.find_first_not_of("{}(); \n") != std::string::npos || !code_.results.empty())
      document_.blocks.push_back(without_margin(std::move(code_)));
    code_ = {};
  }

  /// The blanks that all lines begin with are those of the function around them.
  static DocumentBlock without_margin(DocumentBlock block) {
    std::vector<std::string> lines;
    std::size_t margin = std::string::npos;
    for (std::size_t begin = 0; begin < block.text.size();) {
      const std::size_t end = block.text.find('\n', begin);
      lines.push_back(block.text.substr(begin, end - begin));
      margin = std::min(margin, lines.back().find_first_not_of(' '));
      begin = end + 1;
    }
    block.text.clear();
    for (const std::string& line : lines)
      block.text += (line.size() > margin ? line.substr(margin) : line) + "\n";
    return block;
  }

  const Trace& trace_;
  const RenderedSteps& steps_;
  const std::vector<CitedWork>& works_;
  const LastPasses last_;
  Document document_;
  Prose prose_;
  DocumentBlock code_;
};

std::string as_fence(const std::string& text, const std::string& language) {
  return fenced(text, language.c_str()) + "\n";
}

}  // namespace

Document lecture_document(const Trace& trace, const DocumentOptions& options) {
  const Assets assets(options.files);
  MathTypesetter math;
  Renderings renderings(trace, assets, math);
  const RenderedSteps steps = render_steps(trace, renderings);
  const std::vector<CitedWork> works = renderings.bibliography().cited(trace);
  return DocumentWriter(trace, steps, works, options).run();
}

std::string markdown_text(const Document& document) {
  std::string out;
  for (const DocumentBlock& block : document.blocks) {
    if (!out.empty()) out += "\n";
    if (block.kind == DocumentBlock::Kind::prose) {
      out += block.text + "\n";
      continue;
    }
    out += as_fence(block.text, block.language);
    std::string results = block.printed;
    if (!results.empty() && !results.ends_with('\n')) results += '\n';
    for (const std::string& result : block.results) results += result + "\n";
    if (!results.empty()) out += "\n" + as_fence(results, "text");
  }
  return out;
}

}  // namespace lectern
