#pragma once

#include <filesystem>

namespace lectern::cli {

/// The file that `-o` names: "-" is standard output.
std::filesystem::path output_file(const std::filesystem::path& named);

/// Whether an output is written to as it is, a pipe or a device: it names nothing, and nothing lies beside
/// it.
bool is_stream(const std::filesystem::path& output);

/// NAME.assets beside an output, for the files that it shows. Throws Error when that is a stream.
std::filesystem::path assets_beside(const std::filesystem::path& output);

}  // namespace lectern::cli
