#pragma once

#include <string>
#include <string_view>

#include "edtrace/export.h"
#include "trace/decode.h"

namespace lectern {

/// A value as edtrace's viewer shows it best: tensors as nested lists, with "…" where a summary leaves
/// elements out; NaN, infinities and integers beyond 1e12 as strings; references and enumerators as their
/// text. With its type for later viewers, bare for those of 2025.
Json value_to_edtrace(const Value& value, EdtraceGeneration generation);

/// Markdown as edtrace's viewer has to get it to show what our pages show. It gives all of a text to
/// `marked`, which would take parts of formulas for emphasis, links and escapes and lets HTML through, and
/// then all that stands between dollars, but in code, to MathJax.
std::string for_edtrace_viewer(std::string_view markdown);

/// A code block in Markdown, fenced by more backticks than the text contains.
std::string fenced(const std::string& text, const char* language = "");

/// A rendering as Markdown that edtrace's viewer shows. Of kinds that nobody knows, the JSON.
std::string edtrace_markdown(const Rendering& rendering);

/// Markdown for GitHub, Jupyter and others that know `$…$`: HTML is text but for `<br>`, and dollars that
/// delimit no formula are escaped.
std::string portable_markdown(std::string_view markdown);
std::string portable_markdown(const Rendering& rendering);

}  // namespace lectern
