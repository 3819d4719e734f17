#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
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
/// then. One that is killed leaves FILE.writing, which the next call removes.
///
/// A new file has the rights that the umask leaves it (0666 without those bits). One that replaces another
/// has its mode, and its owner and group where the system lets it; until it is whole, only its owner reads
/// it. A link stays: what it names is replaced, or made when it is not there.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Takes the next bytes of a file.
using Append = std::function<void(std::string_view)>;

/// The same of content that is not in memory as a whole: write(append) gives it piece by piece. What that
/// throws goes on, and the file stays as it was.
void write_file(const std::filesystem::path& path, const std::function<void(const Append&)>& write);

/// write_file, unless the file holds these bytes already (so that build systems see no change).
/// Returns whether it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view content);

/// Copies a file as one step, in the way of write_file, unless the target is the same already.
void copy_file_if_changed(const std::filesystem::path& from, const std::filesystem::path& to);

/// The same for several, to their names below a folder; returns these, for keep_files.
std::set<std::filesystem::path> copy_files(const std::map<std::string, std::filesystem::path>& files,
                                           const std::filesystem::path& folder);

/// The regular files below a folder, relative to it; none when it is not there. Links are not followed.
std::set<std::filesystem::path> files_below(const std::filesystem::path& folder);

/// Moves the files below a folder into another one, each in one step, over those of the same names; other
/// files there stay. The first folder is gone then.
void move_files(const std::filesystem::path& from, const std::filesystem::path& to);

/// Removes the files below a folder that are not among these, and the folder itself when none is wanted.
void keep_files(const std::filesystem::path& folder, const std::set<std::filesystem::path>& wanted);

/// Removes a file, or a folder with all that is in it; what is not there is no error. Throws Error naming
/// the system's reason.
void remove_tree(const std::filesystem::path& path);

}  // namespace lectern
