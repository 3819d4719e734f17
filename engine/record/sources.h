#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/probe.h"

namespace lectern::probe {

/// The files of the lecture that have registered so far, whether or not anything is recorded.
const std::vector<Source*>& sources();

/// The lecture's folder as the author names it ("lectures/"): from the folder that the supervisor was told,
/// or the one in which the program was started; absolute when outside of it.
const std::string& shown_folder();

/// The working directory in which the program was started.
const std::filesystem::path& initial_folder();

}  // namespace lectern::probe
