#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "record/probe.h"

/// A recorder that keeps what hooks, claims and values tell it, in place of the real one: it stands in for
/// record/recorder.h at link time.
namespace lectern::test {

struct FakeRecorder {
  bool recording = true;
  bool exercise = false;
  int processes = 0;
  int pauses = 0;  ///< how many were begun, and ended
  int resumed = 0;
  std::vector<std::string> renderings;
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<std::string> claims;
  std::vector<std::string> collectives;
  std::vector<std::string> warnings;
  std::vector<std::string> classes;
  std::vector<probe::Function> functions;
  std::filesystem::path folder;
  std::filesystem::path assets;
};

/// What claim_failed throws here instead of ending the program.
struct ClaimFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The one of this process.
FakeRecorder& fake();

}  // namespace lectern::test
