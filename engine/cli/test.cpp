#include <chrono>
#include <cstdio>
#include <memory>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/proof.h"

namespace lectern::cli {
namespace {

int test(bool quick) {
  const Workspace workspace = find_workspace();
  if (!workspace.repository)
    throw Error("there is nothing to test here; run `./lectern test` in Lectern's repository");
  std::filesystem::create_directories(workspace.logs());
  Tally total;
  std::vector<std::string> failures;
  for (const auto& proof : proofs(workspace, quick)) {
    std::printf("%-16s ", proof.name.c_str());
    std::fflush(stdout);
    const auto start = std::chrono::steady_clock::now();
    const Tally tally = proof.run();
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%s  (%.1f s)\n", to_string(tally).c_str(), seconds);
    total += tally;
    for (const auto& failure : tally.failures) failures.push_back(failure + "  " + shown(proof.log));
  }
  if (!failures.empty()) std::puts("\nFailed, and where its output is:");
  for (const auto& failure : failures) std::printf("  %s\n", failure.c_str());
  std::printf("%s\n", to_string(total).c_str());
  return total.failed == 0 ? 0 : 1;
}

}  // namespace

void add_test(CLI::App& app, int& status) {
  auto quick = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("test", "Builds and runs everything that proves the project");
  command->add_flag("--quick", *quick, "The unit tests only");
  command->footer(
      "The last line is the count: N passed, N failed, N skipped.\n"
      "Exit status: 0 nothing failed, 1 something did, 2 the command line is wrong, 3 something is not "
      "installed.");
  command->callback([quick, &status] { status = test(*quick); });
}

}  // namespace lectern::cli
