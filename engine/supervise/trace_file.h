#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "record/run_block.h"

namespace lectern {

/// How a run ended, as the trace tells it.
struct Ending {
  std::string by = "return";
  int status = 0;
  std::string signal = {};  ///< "SIGSEGV"
  std::string type = {};    ///< of an exception
  std::string what = {};
  std::string out = {}, err = {};  ///< what came past the streams
};

/// Where a run's results grow, and where they go in the end.
struct TraceFiles {
  std::filesystem::path trace, partial, assets, partial_assets;

  static TraceFiles beside(const std::filesystem::path& output);

  /// An empty partial file, and no partial assets. Throws Error.
  void prepare() const;
  /// Completes the partial trace from what is committed, then puts trace and assets in their places. Throws
  /// Error; discards what is partial then.
  void finish(const RunBlock& block, const Ending& ending) const;
  void discard() const;
};

}  // namespace lectern
