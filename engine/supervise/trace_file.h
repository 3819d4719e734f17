#pragma once

#include <filesystem>

#include "base/descriptor.h"
#include "record/run_block.h"
#include "supervise/ending.h"

namespace lectern {

/// Where a run's results grow, and where they go in the end.
struct TraceFiles {
  std::filesystem::path trace, partial, assets, partial_assets;
  /// The partial trace, once it is prepared: locked, for this run alone. Processes that are forked hold the
  /// lock, too, until they execute a program.
  Descriptor file = Descriptor();

  static TraceFiles beside(const std::filesystem::path& output);

  /// An empty partial file, and no partial assets. Throws Error, and leaves them alone, while another run
  /// records there.
  void prepare();
  /// Completes the partial trace from what is committed, then puts trace and assets in their places. Throws
  /// Error.
  void finish(const RunBlock& block, const Ending& ending) const;
  /// Removes what this run has prepared.
  void discard() const;
};

}  // namespace lectern
