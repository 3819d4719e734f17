#pragma once

#include <string>
#include <vector>

#include "site/settings.h"
#include "trace/trace.h"

namespace lectern {

/// Which functions of two programs correspond, by function of each trace: the number of its pair; -1 where it
/// has no counterpart. Overloads are one.
struct FunctionCounterparts {
  std::vector<int> first, other;
};

/// Functions of a lecture and of the same lecture in another language. Those that the author pairs come
/// first; of the others that ran, those with the same qualified name, then those of which one's qualified
/// name ends with the other's, where no second one does: `lectern::BpeTokenizer::count_pairs` is Python's
/// `BPETokenizer.count_pairs`. The case of letters and underscores do not count; a constructor is `__init__`,
/// an operator its method, and `operator()` is `__call__` or, as in PyTorch, `forward`. Names of the author's
/// that there are not are left out, and said in `problems`.
FunctionCounterparts function_counterparts(const Trace& first, const Trace& other,
                                           const std::vector<SiteSettings::FunctionPair>& said,
                                           std::vector<std::string>& problems);

}  // namespace lectern
