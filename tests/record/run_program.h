#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "supervise/supervise.h"
#include "temporary_folder.h"

namespace lectern::test {

/// A program of tests/record/programs.
std::filesystem::path program(const std::string& name);

/// Options to run it quietly.
RunOptions run_options(const TemporaryFolder& folder, const std::string& name,
                       const std::vector<std::string>& arguments);

/// A trace that was read back; by its own name, so that tests say what they look at.
struct Recorded {
  RunOutcome outcome;
  nlohmann::ordered_json document;
  std::vector<nlohmann::ordered_json> steps;
  nlohmann::ordered_json end;

  const nlohmann::ordered_json& last() const { return steps.back(); }
  /// Each step as "main > leaf 13", with " +n" for activations begun and " after"; "×n" for n passes left
  /// out.
  std::vector<std::string> lines() const;
};

/// Throws unless the project's reader finds the trace whole, with the same steps.
Recorded read_recorded(const std::filesystem::path& path);
Recorded run_program(const std::string& name, const std::vector<std::string>& arguments = {});

}  // namespace lectern::test
