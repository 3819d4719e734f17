#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lectern {

/// A temporary folder for what a program reads and writes.
class WorkFolder {
 public:
  WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder();

  std::filesystem::path path;
};

enum class Ran : std::uint8_t { done, failed, too_long, not_found };

/// Runs a program of the PATH without input, output and settings of the environment: dates are in UTC.
Ran run_program(std::vector<std::string> command, int seconds);

}  // namespace lectern
