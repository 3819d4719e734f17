#pragma once

#include <string>

#include "edtrace/export.h"
#include "edtrace/markdown.h"
#include "trace/decode.h"

namespace lectern {

/// A value as edtrace's viewer shows it best: tensors as nested lists, with "…" where a summary leaves
/// elements out; NaN, infinities and integers beyond 1e12 as strings; references and enumerators as their
/// text. With its type for later viewers, bare for those of 2025.
Json value_to_edtrace(const Value& value, EdtraceGeneration generation);

/// A code block in Markdown, fenced by more backticks than the text contains.
std::string fenced(const std::string& text, const char* language = "");

/// A rendering as Markdown that edtrace's viewer shows. Of kinds that nobody knows, the JSON.
std::string edtrace_markdown(const Rendering& rendering);

/// A rendering as portable_markdown of its texts.
std::string portable_markdown(const Rendering& rendering);

}  // namespace lectern
