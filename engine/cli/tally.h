#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lectern::cli {

/// What tests came to.
struct Tally {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  std::vector<std::string> failures = {};  ///< names of the tests that failed

  Tally& operator+=(const Tally& other);
};

/// "3 passed, 0 failed, 1 skipped"
std::string to_string(const Tally& tally);

/// From the report of `ctest --output-junit`. What could not be started counts as failed.
Tally tally_of_junit(std::string_view xml);

/// From the output of `node --test --test-reporter=tap`.
Tally tally_of_tap(std::string_view tap);

}  // namespace lectern::cli
