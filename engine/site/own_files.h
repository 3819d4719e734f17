#pragma once

#include <filesystem>
#include <set>
#include <string_view>

namespace lectern {

/// Whether a page, a feed or another text of a site says that Lectern wrote it. What does not is somebody's
/// own, and stays.
bool is_own_file(const std::filesystem::path& file);

/// Removes what builds write of a lecture, or of a further run of it, if its page and its summary are of
/// Lectern. Returns whether the folder is gone; what else lies in it stays. Throws Error, with nothing
/// removed, if the summary is another program's.
bool remove_lecture(const std::filesystem::path& folder);

/// write_or_remove and keep_files (base/files.h), which leave alone what is somebody's own.
void write_or_remove_own(const std::filesystem::path& file, std::string_view content);
void keep_own_files(const std::filesystem::path& folder, const std::set<std::filesystem::path>& wanted);

}  // namespace lectern
