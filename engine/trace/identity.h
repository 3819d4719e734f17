#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Names of statements and steps that survive edits elsewhere (traces/README.md). The one place that computes
/// them.

/// Hash of a statement's tokens: blanks and comments do not count. Eight hexadecimal digits.
std::string token_hash(std::string_view statement, std::string_view language);

/// The tokens of a site's statement.
std::vector<std::string> site_tokens(const Trace& trace, const Site& site);

/// token_hash of each site of the trace.
std::vector<std::string> site_hashes(const Trace& trace);

/// One text per site of the trace: "function~hash" or, for the n-th equal statement of that function (n from
/// 2), "function~hash~n".
std::vector<std::string> site_identities(const Trace& trace);

/// Which execution a step is.
struct Pass {
  std::int32_t execution;   ///< of its statement within this activation, from 1; a second ("after") step has
                            ///< its first's
  std::int32_t activation;  ///< of its function, from 1

  bool operator==(const Pass&) const = default;
};
std::vector<Pass> passes(const Trace& trace);

}  // namespace lectern
