#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lectern {

/// Whether it names a file inside its folder: relative, no scheme, no "..", no backslash.
bool inside_folder(std::string_view path);

/// The whole file. Throws Error naming the file and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// Makes a folder and those above it that are missing. Throws Error naming the folder and the system's
/// reason.
void make_folder(const std::filesystem::path& path);

/// Replaces the file as one step: writes beside it, flushes to disk, renames. Whatever interrupts it, the old
/// file or the new one is there, whole. Creates missing parent folders. Throws Error; leaves nothing behind
/// then.
void write_file(const std::filesystem::path& path, std::string_view content);

/// write_file, unless the file holds these bytes already (so that build systems see no change).
/// Returns whether it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view content);

/// Copies a file as one step, in the way of write_file, unless the target is the same already.
void copy_file_if_changed(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace lectern
