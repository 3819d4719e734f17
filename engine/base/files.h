#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace lectern {

/// Whether the path stays inside its folder: relative, no scheme, no "..", no backslash.
bool inside_folder(std::string_view path);

/// The whole file. Throws Error naming the file and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// At most this many bytes of its beginning; fewer, or none, where they cannot be read.
std::string read_beginning(const std::filesystem::path& path, std::size_t most);

/// Creates a folder and its missing parents. Throws Error naming the folder and the system's reason.
void make_folder(const std::filesystem::path& path);

/// Replaces the file atomically: writes beside it, flushes to disk, renames. Whatever interrupts it, either
/// the old or the new file is there, complete. Creates missing parent folders. Throws Error, leaving nothing
/// behind. If killed, it leaves FILE.writing, which the next call removes.
///
/// A new file has permissions 0666 less the umask. A replacement keeps the mode of the old
/// file, and its owner and group where permitted; until it is complete, only its owner can read it. A link
/// stays: its target is replaced, or created if missing.
///
/// What is no regular file, a pipe or a device, is written to as it is; /dev/stdout is this process's own.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Appends bytes to a file.
using Append = std::function<void(std::string_view)>;

/// The same for content produced piece by piece: write(append). If it throws, the exception propagates and
/// the file stays unchanged.
void write_file(const std::filesystem::path& path, const std::function<void(const Append&)>& write);

/// write_file, unless the file holds these bytes already (so that build systems see no change).
/// Returns whether it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view content);

/// The same, but that nothing to write is no file.
void write_or_remove(const std::filesystem::path& path, std::string_view content);

/// Copies a file atomically, as write_file does, unless the target is already identical.
void copy_file_if_changed(const std::filesystem::path& from, const std::filesystem::path& to);

/// The same for several, to their names below a folder; returns these, for keep_files.
std::set<std::filesystem::path> copy_files(const std::map<std::string, std::filesystem::path>& files,
                                           const std::filesystem::path& folder);

/// The regular files below a folder, relative to it; none if it is missing. Links are not followed.
std::set<std::filesystem::path> files_below(const std::filesystem::path& folder);

/// Moves the files below a folder into another one, each atomically, replacing files of the same names;
/// others there stay. The first folder is then gone.
void move_files(const std::filesystem::path& from, const std::filesystem::path& to);

/// Removes the files below a folder that are not wanted, and the folder itself if none is.
void keep_files(const std::filesystem::path& folder, const std::set<std::filesystem::path>& wanted);

/// Removes a folder if it is empty. Returns whether there is none now. Throws Error as remove_tree does.
bool remove_empty_folder(const std::filesystem::path& path);

/// Removes a file, or a folder with its contents; a missing one is no error. Throws Error naming the system's
/// reason.
void remove_tree(const std::filesystem::path& path);

}  // namespace lectern
