#pragma once

#include <CLI/CLI.hpp>

/// Validators of numeric options.
namespace lectern::cli {

/// A number of seconds, at least 0, possibly fractional.
CLI::Validator is_seconds();
/// A tolerance: any finite number of at least 0.
CLI::Validator is_tolerance();

}  // namespace lectern::cli
