#include "cli/watch.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/error.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kQuietMilliseconds = 60;
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM;

bool readable(int descriptor, int milliseconds) {
  pollfd waiting{descriptor, POLLIN, 0};
  return poll(&waiting, 1, milliseconds) > 0;
}

}  // namespace

Watch::Watch(const std::vector<fs::path>& folders, std::vector<fs::path> except,
             const std::vector<fs::path>& files)
    : descriptor_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), except_(std::move(except)) {
  for (const auto& folder : folders) {
    if (fs::is_directory(folder)) add(folder);
  }
  if (folders_.empty()) throw Error("there is no folder to watch");
  add_files(files);
}

Watch::~Watch() {
  close(descriptor_);
}

bool Watch::ignored(const fs::path& path) const {
  const std::string name = path.filename();
  return name.starts_with('.') || name == "node_modules" || name.ends_with('~') ||
         std::find(except_.begin(), except_.end(), path) != except_.end();
}

void Watch::add(const fs::path& folder) {
  std::deque<fs::path> pending{folder};
  for (; !pending.empty() && folders_.size() < kMostFolders; pending.pop_front()) {
    const fs::path& nearest = pending.front();
    const int watch = inotify_add_watch(descriptor_, nearest.c_str(), kEvents);
    if (watch < 0) {
      if (nearest != folder && (errno == EACCES || errno == ENOENT)) continue;
      throw Error(nearest.string() + ": it cannot be watched: " + std::strerror(errno));
    }
    folders_[watch] = nearest;
    std::error_code unreadable;
    for (const auto& entry : fs::directory_iterator(nearest, unreadable)) {
      if (entry.is_directory() && !entry.is_symlink() && !ignored(entry.path()))
        pending.push_back(entry.path());
    }
  }
}

void Watch::add_files(const std::vector<fs::path>& files) {
  for (const auto& file : files) add_file(file);
}

/// The folder, since editors put a new file in the place of the old one.
void Watch::add_file(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const auto watched = [&](const auto& each) { return each.second == folder; };
  if (std::any_of(folders_.begin(), folders_.end(), watched)) return;
  const int watch = inotify_add_watch(descriptor_, folder.c_str(), kEvents);
  if (watch >= 0) files_[watch].insert(file.filename());
}

bool Watch::read_events() {
  alignas(inotify_event) char buffer[16384];
  bool changed = false;
  for (ssize_t size; (size = read(descriptor_, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof event);
      const std::string name = event.len > 0 ? buffer + at + sizeof event : "";
      at += static_cast<ssize_t>(sizeof event + event.len);
      const auto file = files_.find(event.wd);
      changed |= file != files_.end() && file->second.contains(name);
      const auto parent = folders_.find(event.wd);
      if (parent == folders_.end() || ignored(parent->second / name)) continue;
      changed = true;
      const bool is_new_folder =
          (event.mask & IN_ISDIR) != 0 && (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0;
      if (!is_new_folder) continue;
      const fs::path folder = parent->second / name;
      if (fs::is_directory(folder)) add(folder);
    }
  }
  return changed;
}

bool Watch::wait(int milliseconds) {
  if (!readable(descriptor_, milliseconds)) return false;
  bool changed = read_events();
  while (readable(descriptor_, kQuietMilliseconds)) changed |= read_events();
  return changed;
}

}  // namespace lectern::cli
