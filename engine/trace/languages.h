#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// The language in which a rendering says that it is; empty: in the lecture's.
std::string_view language_of(const Rendering& rendering);

/// Consecutive renderings of one statement that are in several languages are alternatives, of which a reader
/// chooses a language. Where those that begin at `begin` end; `begin` itself where none do.
std::size_t alternatives_end(const std::vector<Rendering>& show, std::size_t begin);

/// The trace with the alternatives in this language only; where there is none in it, with all.
Trace in_language(Trace trace, std::string_view language);

}  // namespace lectern
