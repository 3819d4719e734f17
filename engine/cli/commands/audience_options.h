#pragma once

#include <CLI/CLI.hpp>

#include "trace/audience.h"

namespace lectern::cli {

/// `--audience students` and `--date`; without that, the day is today, or that of SOURCE_DATE_EPOCH.
void add_audience_options(CLI::App& command, Audience& audience);

}  // namespace lectern::cli
