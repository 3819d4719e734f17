#include "base/files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/error.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemporarySuffix = ".writing";

[[noreturn]] void fail(const fs::path& path, const std::string& what, int error) {
  throw Error(Place{path.string()}, what + ": " + std::strerror(error));
}

std::optional<std::string> try_read(const fs::path& path, int& error) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return error = errno, std::nullopt;
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count == 0) return content;
    if (count > 0) {
      content.append(buffer, static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return error = errno, std::nullopt;
    }
  }
}

/// On failure returns false with errno set.
bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// Creates the empty temporary file, for one writer at a time. Its name is fixed, so that the next writer
/// removes what a killed one left.
Descriptor create_temporary(const fs::path& path, mode_t mode) {
  for (;;) {
    Descriptor made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    const bool is_made = made.get() >= 0;
    if (!is_made && errno != EEXIST) return made;
    Descriptor file =
        is_made ? std::move(made) : Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.get() < 0 && errno == ENOENT) continue;
    if (file.get() < 0) return file;
    ::flock(file.get(), LOCK_EX);
    if (!file.is_named(path)) continue;  // another writer has renamed it into place
    if (is_made) return file;
    ::unlink(path.c_str());
  }
}

constexpr int kMaxLinks = 40;  // the kernel's own limit

/// The path with links resolved, whether or not its target exists.
fs::path resolve_links(fs::path path) {
  for (int links = 0;; ++links) {
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return path;
    if (links == kMaxLinks) fail(path, "cannot be written", ELOOP);
    path = path.parent_path() / target;
  }
}

/// Another descriptor of the file that this process has open under a name like /dev/stdout. (To open the name
/// itself would begin a file anew to which standard output is redirected.) Negative for all other names.
Descriptor duplicate_named(fs::path path) {
  std::error_code error;
  if (path == "/dev/stdout") path = "/dev/fd/1";  // without /dev, too
  for (int links = 0; links < kMaxLinks && !error; ++links) {
    const fs::path folder = path.parent_path();
    const std::string name = path.filename();
    int number = -1;
    if ((folder == "/dev/fd" || folder == "/proc/self/fd") &&
        std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc())
      return Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, 0));
    path = folder / fs::read_symlink(path, error);
  }
  return Descriptor();
}

/// What is no regular file, a pipe or a device, open to be written to; negative for a file that can be
/// replaced, or is not there.
Descriptor open_stream(const fs::path& path) {
  Descriptor open = duplicate_named(path);
  struct stat there {};
  if (open.get() >= 0 || ::stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode)) return open;
  Descriptor stream(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (stream.get() < 0) fail(path, "cannot be written", errno);
  return stream;
}

/// Gives a file the mode of another one and, where permitted, its owner and group. False if the mode is
/// refused.
bool copy_permissions(int fd, const struct stat& from) {
  constexpr auto kSame = static_cast<uid_t>(-1);
  [[maybe_unused]] const bool is_owned =
      ::fchown(fd, from.st_uid, from.st_gid) == 0 || ::fchown(fd, kSame, from.st_gid) == 0;
  return ::fchmod(fd, from.st_mode & 0777) == 0;
}

}  // namespace

bool inside_folder(std::string_view path) {
  if (path.empty() || path.front() == '/' || path.find_first_of(":\\") != std::string_view::npos)
    return false;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return true;
}

std::string read_file(const fs::path& path) {
  int error = 0;
  std::optional<std::string> content = try_read(path, error);
  if (!content) fail(path, "cannot be read", error);
  return std::move(*content);
}

std::string read_beginning(const fs::path& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string beginning(most, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(most));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  return beginning;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error && !fs::is_directory(path)) {
    throw Error(Place{path.string()}, "the folder cannot be made: " + error.message() +
                                          "; choose another place, or change its permissions");
  }
}

void write_file(const fs::path& path, const std::function<void(const Append&)>& write) {
  if (const Descriptor stream = open_stream(path); stream.get() >= 0) {
    return write([&](std::string_view bytes) {
      if (!write_all(stream.get(), bytes)) fail(path, "cannot be written", errno);
    });
  }
  const fs::path target = resolve_links(path);
  if (target.has_parent_path()) make_folder(target.parent_path());
  const std::string temporary = target.string() + kTemporarySuffix;
  struct stat old {};
  const bool is_there = ::stat(target.c_str(), &old) == 0;
  const Descriptor file = create_temporary(temporary, is_there ? 0600 : 0666);
  const auto must = [&](bool done) {
    if (!done) fail(path, "cannot be written", errno);
  };
  must(file.get() >= 0);
  try {
    write([&](std::string_view bytes) { must(write_all(file.get(), bytes)); });
    must(::fsync(file.get()) == 0);
    must(!is_there || copy_permissions(file.get(), old));
    must(::rename(temporary.c_str(), target.c_str()) == 0);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void write_file(const fs::path& path, std::string_view content) {
  write_file(path, [&](const Append& append) { append(content); });
}

bool write_file_if_changed(const fs::path& path, std::string_view content) {
  int error = 0;
  std::error_code none;
  const bool may_be_same = fs::is_regular_file(path, none);  // to read a pipe would wait for a writer
  if (const auto old = may_be_same ? try_read(path, error) : std::nullopt; old && *old == content)
    return false;
  write_file(path, content);
  return true;
}

void write_or_remove(const fs::path& path, std::string_view content) {
  if (content.empty()) {
    fs::remove(path);
  } else {
    write_file_if_changed(path, content);
  }
}

void copy_file_if_changed(const fs::path& from, const fs::path& to) {
  write_file_if_changed(to, read_file(from));
}

std::set<fs::path> copy_files(const std::map<std::string, fs::path>& files, const fs::path& folder) {
  std::set<fs::path> names;
  for (const auto& [name, file] : files) {
    copy_file_if_changed(file, folder / name);
    names.insert(name);
  }
  return names;
}

std::set<fs::path> files_below(const fs::path& folder) {
  std::set<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(error) && !at->is_symlink(error))
      files.insert(at->path().lexically_relative(folder));
  }
  return files;
}

void move_files(const fs::path& from, const fs::path& to) {
  for (const fs::path& file : files_below(from)) {
    make_folder((to / file).parent_path());
    if (::rename((from / file).c_str(), (to / file).c_str()) != 0)
      fail(to / file, "cannot be put in place", errno);
  }
  remove_tree(from);
}

void keep_files(const fs::path& folder, const std::set<fs::path>& wanted) {
  if (wanted.empty()) return remove_tree(folder);
  for (const fs::path& file : files_below(folder)) {
    if (!wanted.contains(file)) remove_tree(folder / file);
  }
}

bool remove_empty_folder(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return true;
  if (fs::remove(path, error)) return true;
  if (error != std::errc::directory_not_empty) fail(path, "cannot be removed", error.value());
  return false;
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail(path, "cannot be removed", error.value());
}

}  // namespace lectern
