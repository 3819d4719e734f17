#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/media_type.h"
#include "site/document.h"
#include "trace/decode.h"

namespace lectern {
namespace {

/// Text as notebooks have it: a list of its lines, each with its end.
Json source_lines(std::string_view text) {
  Json lines = Json::array();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

Json prose_cell(const DocumentBlock& block, const Document& document) {
  Json cell = {{"cell_type", "markdown"}, {"metadata", Json::object()}, {"source", source_lines(block.text)}};
  for (const std::string& name : block.files) {
    const std::string& bytes = document.files.at(name);
    cell["attachments"][name][std::string(media_type(bytes))] = base64(bytes);
  }
  return cell;
}

Json code_cell(const DocumentBlock& block) {
  Json outputs = Json::array();
  if (!block.printed.empty())
    outputs.push_back({{"output_type", "stream"}, {"name", "stdout"}, {"text", source_lines(block.printed)}});
  if (!block.results.empty()) {
    std::string text;
    for (const std::string& result : block.results) text += (text.empty() ? "" : "\n") + result;
    outputs.push_back({{"output_type", "display_data"},
                       {"data", {{"text/plain", source_lines(text)}}},
                       {"metadata", Json::object()}});
  }
  std::string_view code = block.text;
  if (code.ends_with('\n')) code.remove_suffix(1);
  return {{"cell_type", "code"},
          {"execution_count", nullptr},
          {"metadata", Json::object()},
          {"source", source_lines(code)},
          {"outputs", std::move(outputs)}};
}

}  // namespace

std::string notebook_text(const Document& document) {
  Json cells = Json::array();
  std::string language = "cpp";
  for (const DocumentBlock& block : document.blocks) {
    const bool is_code = block.kind == DocumentBlock::Kind::code;
    if (is_code && !block.language.empty()) language = block.language;
    Json cell = is_code ? code_cell(block) : prose_cell(block, document);
    cell["id"] = fmt::format("cell-{}", cells.size() + 1);
    cells.push_back(std::move(cell));
  }
  const bool python = language == "python";
  const Json metadata = {{"title", document.title},
                         {"kernelspec",
                          {{"display_name", python ? "Python 3" : "C++20"},
                           {"language", python ? "python" : "cpp"},
                           {"name", python ? "python3" : "xcpp20"}}},
                         {"language_info",
                          {{"name", python ? "python" : "C++"},
                           {"file_extension", python ? ".py" : ".cpp"},
                           {"mimetype", python ? "text/x-python" : "text/x-c++src"}}}};
  const Json notebook = {{"nbformat", 4}, {"nbformat_minor", 5}, {"metadata", metadata}, {"cells", cells}};
  return notebook.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lectern
