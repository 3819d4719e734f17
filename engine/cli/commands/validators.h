#pragma once

#include <CLI/CLI.hpp>

/// What options with numbers accept.
namespace lectern::cli {

/// Seconds from 0 on, with a fraction or not.
CLI::Validator is_seconds();
/// A tolerance: any finite number from 0 on.
CLI::Validator is_tolerance();

}  // namespace lectern::cli
