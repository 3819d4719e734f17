#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lectern {

enum class Ran : std::uint8_t { done, failed, too_long, not_found };

/// Runs a program of the PATH without input, output and settings of the environment: dates are in UTC.
Ran run_program(std::vector<std::string> command, int seconds);

}  // namespace lectern
