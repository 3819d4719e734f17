#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/tally.h"
#include "cli/workspace.h"

namespace lectern::cli {

/// One part of what proves the project: runs, keeps its output in `log`, and counts.
struct Proof {
  std::string name;
  std::filesystem::path log;
  std::function<Tally()> run;
};

/// Everything, or the unit tests alone.
std::vector<Proof> proofs(const Workspace& workspace, bool quick);

}  // namespace lectern::cli
