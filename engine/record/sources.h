#pragma once

#include <filesystem>
#include <vector>

#include "record/probe.h"

namespace lectern::probe {

/// The files of the lecture that have registered so far, whether or not anything is recorded.
const std::vector<Source*>& sources();

/// The working directory in which the program was started.
const std::filesystem::path& initial_folder();

}  // namespace lectern::probe
