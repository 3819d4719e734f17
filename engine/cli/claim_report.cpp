#include "cli/claim_report.h"

#include <algorithm>

#include "edtrace/load.h"
#include "trace/claim_results.h"

namespace lectern::cli {

ClaimReport report_claims(const std::filesystem::path& trace, const std::string& folder) {
  const Trace loaded = load_trace(trace);
  const std::vector<ClaimResult> results = claim_results(loaded);
  return {claim_report(loaded, results, folder), std::ranges::all_of(results, [](const ClaimResult& each) {
            return each.state == ClaimResult::State::held;
          })};
}

}  // namespace lectern::cli
