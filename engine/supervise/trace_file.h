#pragma once

#include <filesystem>

#include "record/run_block.h"
#include "supervise/ending.h"

namespace lectern {

/// Where a run's results grow, and where they go in the end.
struct TraceFiles {
  std::filesystem::path trace, partial, assets, partial_assets;

  static TraceFiles beside(const std::filesystem::path& output);

  /// An empty partial file, and no partial assets. Throws Error.
  void prepare() const;
  /// Completes the partial trace from what is committed, then puts trace and assets in their places. Throws
  /// Error.
  void finish(const RunBlock& block, const Ending& ending) const;
  /// Removes what is partial.
  void discard() const;
};

}  // namespace lectern
