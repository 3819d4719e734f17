#include <array>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "cli/bundle.h"
#include "cli/process.h"

namespace lectern::cli {
namespace fs = std::filesystem;
namespace {

/// Of every system that runs programs at all, and what must be the driver's own.
bool is_of_the_system(const std::string& library) {
  constexpr std::array kSystem = {"ld-linux",   "libc.so",       "libdl.so", "libgcc_s.so",
                                  "libm.so",    "libpthread.so", "librt.so", "libstdc++.so",
                                  "linux-vdso", "libcuda.so",    "libnvidia"};
  for (const char* prefix : kSystem) {
    if (library.starts_with(prefix)) return true;
  }
  return false;
}

void copy_into(const fs::path& from, const fs::path& folder) {
  fs::create_directories(folder);
  fs::copy(from, folder / from.filename(),
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  return {fs::directory_iterator(folder), fs::directory_iterator()};
}

std::string names_of(const std::vector<fs::path>& files) {
  std::string names;
  for (const fs::path& file : files) names += file.filename().string() + "\n";
  return names;
}

}  // namespace

BundleContents read_bundle_contents(const fs::path& manifest) {
  BundleContents contents;
  std::istringstream lines(read_file(manifest));
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    const std::string kind = line.substr(0, space);
    const std::string what = space == std::string::npos ? "" : line.substr(space + 1);
    if (kind == "test") {
      contents.tests.emplace_back(what);
    } else if (kind == "lecture") {
      contents.lectures.emplace_back(what);
    } else if (kind == "program") {
      contents.programs.emplace_back(what);
    } else if (kind == "texts") {
      contents.texts = what;
    } else if (kind == "architectures") {
      contents.architectures = what;
    } else {
      throw Error(manifest.string() + ": `" + line + "` is nothing that a bundle has; configure anew");
    }
  }
  return contents;
}

std::vector<fs::path> libraries_of(const std::vector<fs::path>& programs) {
  std::map<std::string, fs::path> found;
  for (const fs::path& program : programs) {
    run_command({.arguments = {"ldd", program}}, [&](std::string_view line) {
      std::istringstream words{std::string(line)};
      std::string name, arrow, path;
      words >> name >> arrow >> path;
      if (arrow != "=>" || is_of_the_system(name)) return;
      if (path.empty() || path.front() != '/')
        throw Error(program.string() + ": its library " + name + " is not found; build it anew");
      found.emplace(name, path);
    });
  }
  std::vector<fs::path> libraries;
  libraries.reserve(found.size());
  for (const auto& [name, path] : found) libraries.push_back(path);
  return libraries;
}

void write_bundle(const fs::path& root, const BundleContents& contents, const std::string& commit,
                  const fs::path& out) {
  const fs::path folder = out.string() + ".partial";  // there already: an earlier bundle was not finished
  if (fs::exists(out) && !fs::is_empty(out) && !fs::exists(out / "commit") && !fs::exists(folder))
    throw Error(out.string() + ": it holds something else than a bundle; name another folder with --out");
  fs::remove_all(folder);

  std::vector<fs::path> programs = contents.programs;
  for (const auto* more : {&contents.tests, &contents.lectures})
    programs.insert(programs.end(), more->begin(), more->end());
  for (const fs::path& program : programs) copy_into(program, folder / "bin");
  for (const fs::path& library : libraries_of(programs)) {
    fs::create_directories(folder / "lib");
    fs::copy_file(fs::canonical(library), folder / "lib" / library.filename());
  }
  copy_into(root / "lectures/figures", folder / "lectures");
  for (const auto& room : fs::directory_iterator(root / "tests")) {
    const fs::path goldens = room.path() / "goldens";
    if (fs::is_directory(goldens)) copy_into(goldens, folder / "tests" / room.path().filename());
  }
  copy_into(root / "tests/bundle/run", folder);
  copy_into(root / "LICENSE", folder);
  if (fs::exists(contents.texts)) copy_into(contents.texts, folder);
  write_file(folder / "tests.txt", names_of(contents.tests));
  write_file(folder / "lectures.txt", names_of(contents.lectures));
  write_file(folder / "commit", commit + "\narchitectures " + contents.architectures + "\n");

  // Entry by entry: results of earlier runs stay where they are, whatever ends this one.
  fs::create_directories(out);
  for (const fs::path& entry : entries_of(out)) {
    if (entry.filename() != "results") fs::remove_all(entry);
  }
  for (const fs::path& entry : entries_of(folder)) fs::rename(entry, out / entry.filename());
  fs::remove(folder);
}

}  // namespace lectern::cli
