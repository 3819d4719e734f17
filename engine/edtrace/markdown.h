#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// Markdown as edtrace's viewer has to get it to show what our pages show. It gives all of a text to
/// `marked`, which would take parts of formulas for emphasis, links and escapes and lets HTML through, and
/// then all that stands between dollars, but in code, to MathJax.
std::string for_edtrace_viewer(std::string_view markdown);

/// The other way round: Markdown in which our pages show what edtrace's viewer does. Formulas that nobody
/// escaped for `marked`, which breaks them, are what their author meant.
std::string from_edtrace_viewer(std::string_view markdown);

/// Markdown for GitHub, Jupyter and others that know `$…$`: HTML is text but for `<br>`, and dollars that
/// delimit no formula are escaped.
std::string portable_markdown(std::string_view markdown);

}  // namespace lectern
